// Lists all applications and syncs the one that is named.
package main

import (
	"context"
	"fmt"
	"os"

	causeway "causeway.dev/go"
	proxyv1 "causeway.dev/go/causeway/proxy/v1"
)

func main() {
	platform, err := causeway.FromEnvironment()
	causeway.CheckErr(err)
	for application, err := range causeway.ListApplications(context.Background(), platform, nil) {
		causeway.CheckErr(err)
		fmt.Println(application.GetRuntime(), application.GetName(), application.GetStatus().GetHealth().GetStatus())
	}
	request := &proxyv1.SyncApplicationRequest{Runtime: "local", Namespace: "argocd", Name: os.Args[1], RequestId: causeway.NewRequestID()}
	answer, err := proxyv1.NewApplicationActionServiceClient(platform).SyncApplication(context.Background(), request)
	causeway.CheckErr(err)
	fmt.Println("accepted at", answer.GetAcceptedAt().AsTime())
}
