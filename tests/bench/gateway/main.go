// The same RPC behind grpc-gateway, for comparison: JSON over HTTP in front of a gRPC server, by the code that its generator writes.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	proxyv1 "causeway/gateway/gen/causeway/proxy/v1"
)

func main() {
	upstream := flag.String("upstream", "", "where the gRPC server listens")
	flag.Parse()
	mux := runtime.NewServeMux()
	options := []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())}
	err := proxyv1.RegisterApplicationActionServiceHandlerFromEndpoint(context.Background(), mux, *upstream, options)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}
