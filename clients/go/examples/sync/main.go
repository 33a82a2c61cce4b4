// Lists all applications and syncs the one that is named.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	causeway "causeway.dev/go"
	inventoryv1 "causeway.dev/go/causeway/inventory/v1"
	proxyv1 "causeway.dev/go/causeway/proxy/v1"
)

func main() {
	platform, err := causeway.FromEnvironment()
	if err != nil {
		log.Fatal(err)
	}
	ctx, inventory := context.Background(), inventoryv1.NewApplicationServiceClient(platform)
	for application, err := range causeway.ListApplications(ctx, inventory, &inventoryv1.ListApplicationsRequest{}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(application.GetRuntime(), application.GetName(), application.GetStatus().GetHealth().GetStatus())
	}
	answer, err := proxyv1.NewApplicationActionServiceClient(platform).SyncApplication(ctx, &proxyv1.SyncApplicationRequest{
		Runtime: "local", Namespace: "argocd", Name: os.Args[1], RequestId: causeway.NewRequestID(),
	})
	if told := causeway.ErrorOf(err); told != nil {
		log.Fatalf("%s: %s %v", told.Reason, told.Message, told.Fields)
	}
	fmt.Println("accepted at", answer.GetAcceptedAt().AsTime())
}
