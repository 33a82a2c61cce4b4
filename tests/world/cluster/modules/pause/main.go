// Command pause is the first process of every pod: it holds the pod's namespaces and does nothing else.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		reap()
	}
}

// Where containers share the process namespace, their orphans are this program's children.
func reap() {
	for {
		process, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err != nil || process <= 0 {
			return
		}
	}
}
