package causeway

import (
	"context"
	"errors"
	"io"
	"iter"
	"math/rand/v2"
	"time"

	errorv1 "causeway.dev/go/causeway/error/v1"
	inventoryv1 "causeway.dev/go/causeway/inventory/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

const (
	firstDelay = 200 * time.Millisecond
	mostDelay  = 10 * time.Second
)

// ListApplications gives the applications of all pages, each with the error that ended the list, if any. The platform is what Dial
// gives; a request of nil is for all.
func ListApplications(
	ctx context.Context,
	platform grpc.ClientConnInterface,
	request *inventoryv1.ListApplicationsRequest,
) iter.Seq2[*inventoryv1.Application, error] {
	return func(yield func(*inventoryv1.Application, error) bool) {
		client := inventoryv1.NewApplicationServiceClient(platform)
		asked := &inventoryv1.ListApplicationsRequest{}
		proto.Merge(asked, request)
		for {
			page, err := client.ListApplications(ctx, asked)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, application := range page.GetApplications() {
				if !yield(application, nil) {
					return
				}
			}
			if asked.PageToken = page.GetNextPageToken(); asked.PageToken == "" {
				return
			}
		}
	}
}

// WatchApplications gives all applications that match, then each change of them, over lost connections, without a gap: what went
// away while nobody was connected, and is not told any more, is given as deleted. It ends with an error that no waiting mends, or
// with that of the context. The platform is what Dial gives; a request of nil is for all. Events are updated and deleted, and a bookmark when all that there was has been given.
func WatchApplications(
	ctx context.Context,
	platform grpc.ClientConnInterface,
	request *inventoryv1.WatchApplicationsRequest,
) iter.Seq2[*inventoryv1.WatchApplicationsResponse, error] {
	return func(yield func(*inventoryv1.WatchApplicationsResponse, error) bool) {
		client := inventoryv1.NewApplicationServiceClient(platform)
		asked := &inventoryv1.WatchApplicationsRequest{}
		proto.Merge(asked, request)
		it := watch{asked: asked, held: map[key]bool{}, yield: yield, delay: firstDelay}
		for {
			err := it.follow(ctx, client)
			switch {
			case errors.Is(err, errEnough):
				return
			case ctx.Err() != nil:
				yield(nil, ctx.Err())
				return
			case !it.goesOn(err):
				yield(nil, err)
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(rand.Int64N(int64(it.delay)))):
			}
			it.delay = min(2*it.delay, mostDelay)
		}
	}
}

// key is what tells one application from all others.
type key struct{ runtime, cluster, namespace, name string }

type watch struct {
	asked *inventoryv1.WatchApplicationsRequest
	// held are the applications that were given and are not gone; true where they were told since the beginning.
	held      map[key]bool
	yield     func(*inventoryv1.WatchApplicationsResponse, error) bool
	delay     time.Duration
	connected bool
}

var errEnough = errors.New("the caller has seen enough")

// goesOn says whether a watch that was cut can be taken up again, and where.
func (it *watch) goesOn(err error) bool {
	if told := ErrorOf(err); told != nil &&
		told.Reason == errorv1.Reason_REASON_CURSOR_EXPIRED && it.asked.Cursor != "" {
		it.asked.Cursor = ""
		return true
	}
	return errors.Is(err, io.EOF) || it.connected && (IsTransient(err) || status.Code(err) == codes.DeadlineExceeded)
}

func (it *watch) follow(ctx context.Context, client inventoryv1.ApplicationServiceClient) error {
	if it.asked.Cursor == "" {
		for each := range it.held {
			it.held[each] = false
		}
	}
	stream, err := client.WatchApplications(ctx, it.asked)
	if err != nil {
		return err
	}
	for {
		response, err := stream.Recv()
		if err != nil {
			return err
		}
		it.connected, it.delay = true, firstDelay
		it.asked.Cursor = response.GetCursor()
		if err := it.give(response); err != nil {
			return err
		}
	}
}

func (it *watch) give(response *inventoryv1.WatchApplicationsResponse) error {
	switch event := response.GetEvent().(type) {
	case *inventoryv1.WatchApplicationsResponse_Updated:
		one := event.Updated
		it.held[key{one.GetRuntime(), one.GetCluster(), one.GetNamespace(), one.GetName()}] = true
	case *inventoryv1.WatchApplicationsResponse_Deleted:
		one := event.Deleted
		delete(it.held, key{one.GetRuntime(), one.GetCluster(), one.GetNamespace(), one.GetName()})
	case *inventoryv1.WatchApplicationsResponse_Bookmark:
		if err := it.sweep(event.Bookmark, response.GetCursor()); err != nil {
			return err
		}
	}
	return it.hand(response)
}

// sweep gives as deleted what was not told again since the beginning.
func (it *watch) sweep(bookmark *inventoryv1.WatchBookmark, cursor string) error {
	if !bookmark.GetInitialStateSent() {
		return nil
	}
	for each, told := range it.held {
		if told {
			continue
		}
		delete(it.held, each)
		gone := &inventoryv1.ApplicationDeleted{
			Runtime: each.runtime, Cluster: each.cluster, Namespace: each.namespace, Name: each.name,
		}
		event := &inventoryv1.WatchApplicationsResponse_Deleted{Deleted: gone}
		if err := it.hand(&inventoryv1.WatchApplicationsResponse{Event: event, Cursor: cursor}); err != nil {
			return err
		}
	}
	return nil
}

func (it *watch) hand(response *inventoryv1.WatchApplicationsResponse) error {
	if !it.yield(response, nil) {
		return errEnough
	}
	return nil
}
