// Prints each change of all applications until it is stopped.
package main

import (
	"context"
	"fmt"

	causeway "causeway.dev/go"
)

func main() {
	platform, err := causeway.FromEnvironment()
	causeway.CheckErr(err)
	for event, err := range causeway.WatchApplications(context.Background(), platform, nil) {
		causeway.CheckErr(err)
		if updated := event.GetUpdated(); updated != nil {
			status := updated.GetStatus()
			fmt.Println("updated", updated.GetName(), status.GetSync().GetRevisions(), status.GetHealth().GetStatus())
		}
		if deleted := event.GetDeleted(); deleted != nil {
			fmt.Println("deleted", deleted.GetName())
		}
	}
}
