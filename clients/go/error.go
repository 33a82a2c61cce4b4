package causeway

import (
	"log"
	"maps"
	"slices"
	"strings"
	"time"

	errorv1 "causeway.dev/go/causeway/error/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Domain is whose reasons an error's details tell.
const Domain = "causeway"

// Error is what a failed call tells besides its code and its message.
type Error struct {
	Code    codes.Code
	Message string
	// Reason is REASON_UNSPECIFIED where none is told, or one that this package does not know yet.
	Reason errorv1.Reason
	// Fields tells which fields of the request are wrong, and how.
	Fields map[string]string
	// RetryAfter is when a repeat may succeed; 0 where that is not told.
	RetryAfter time.Duration
}

// Error is one line: the reason where one is told, else the code, then the message and the fields that are wrong.
func (it *Error) Error() string {
	name := it.Code.String()
	if it.Reason != errorv1.Reason_REASON_UNSPECIFIED {
		name = strings.TrimPrefix(it.Reason.String(), "REASON_")
	}
	line := name + ": " + it.Message
	for _, field := range slices.Sorted(maps.Keys(it.Fields)) {
		line += "; " + field + ": " + it.Fields[field]
	}
	return line
}

// CheckErr does nothing where there is no error, and else says what it tells and ends the program: for programs that have nothing
// else to do then.
func CheckErr(err error) {
	if told := ErrorOf(err); told != nil {
		err = told
	}
	if err != nil {
		log.Fatal(err)
	}
}

// ErrorOf reads what a failed call tells; nil where the error is none of a call.
func ErrorOf(err error) *Error {
	told, ok := status.FromError(err)
	if err == nil || !ok {
		return nil
	}
	read := &Error{Code: told.Code(), Message: told.Message(), Fields: map[string]string{}}
	for _, detail := range told.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			if detail.GetDomain() == Domain {
				read.Reason = errorv1.Reason(errorv1.Reason_value["REASON_"+detail.GetReason()])
			}
		case *errdetails.BadRequest:
			for _, field := range detail.GetFieldViolations() {
				read.Fields[field.GetField()] = field.GetDescription()
			}
		case *errdetails.RetryInfo:
			read.RetryAfter = detail.GetRetryDelay().AsDuration()
		}
	}
	return read
}

// IsTransient says whether the same call may succeed later without anybody doing something.
func IsTransient(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.ResourceExhausted, codes.Aborted:
		return true
	default:
		return false
	}
}
