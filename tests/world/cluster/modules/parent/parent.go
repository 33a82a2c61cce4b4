// Package parent ends a program together with whoever started it.
package parent

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"syscall"
)

// Variable names the environment variable that holds the number of an open file
// descriptor: the reading end of a pipe whose writing end only the parent has.
const Variable = "CAUSEWAY_PARENT_FD"

// Watch exits this process when the pipe ends, which the kernel sees to however
// the parent died. Without the variable it does nothing.
func Watch() {
	OnEnd(func() { os.Exit(1) })
}

// OnEnd calls end once when the pipe ends. The variable and the descriptor are
// kept from the programs that this one starts: in them the number would mean nothing.
func OnEnd(end func()) {
	value, given := os.LookupEnv(Variable)
	if !given {
		return
	}
	os.Unsetenv(Variable)
	number, err := strconv.Atoi(value)
	if err != nil || number < 0 {
		fmt.Fprintf(os.Stderr, "%s is %q: give the number of an open file descriptor\n", Variable, value)
		os.Exit(2)
	}
	syscall.CloseOnExec(number)
	go func() {
		io.Copy(io.Discard, os.NewFile(uintptr(number), "parent"))
		end()
	}()
}
