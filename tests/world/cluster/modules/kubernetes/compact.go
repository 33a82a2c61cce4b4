package main

import (
	"context"
	"fmt"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// compact makes a store forget every revision but its newest, so that whoever reads from an
// older one is told that it is gone. Without it that takes the API server five minutes.
func compact(arguments []string) int {
	if len(arguments) != 1 {
		fmt.Fprintln(os.Stderr, "usage: compact ENDPOINT, such as unix:///FOLDER/etcd.sock or http://127.0.0.1:2379")
		return 2
	}
	revision, err := compactAt(arguments[0])
	if err != nil {
		return complain("compact", err)
	}
	fmt.Println(revision)
	return 0
}

func compactAt(endpoint string) (int64, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, DialTimeout: 5 * time.Second})
	if err != nil {
		return 0, err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	// Any read carries the newest revision.
	answer, err := client.Get(ctx, "/", clientv3.WithLimit(1))
	if err != nil {
		return 0, err
	}
	_, err = client.Compact(ctx, answer.Header.Revision, clientv3.WithCompactPhysical())
	return answer.Header.Revision, err
}
