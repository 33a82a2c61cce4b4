// Prints each change of all applications until it is stopped.
package main

import (
	"context"
	"fmt"
	"log"

	causeway "causeway.dev/go"
	inventoryv1 "causeway.dev/go/causeway/inventory/v1"
)

func main() {
	platform, err := causeway.FromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	inventory := inventoryv1.NewApplicationServiceClient(platform)
	for event, err := range causeway.WatchApplications(context.Background(), inventory, &inventoryv1.WatchApplicationsRequest{}) {
		if err != nil {
			log.Fatal(err)
		}
		if updated := event.GetUpdated(); updated != nil {
			status := updated.GetStatus()
			fmt.Println("updated", updated.GetName(), status.GetSync().GetRevisions(), status.GetHealth().GetStatus())
		}
		if deleted := event.GetDeleted(); deleted != nil {
			fmt.Println("deleted", deleted.GetName())
		}
	}
}
