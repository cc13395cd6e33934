//go:build !js

package socket_test

import (
	"context"
	"fmt"
	"time"

	"ghostcube/net/socket"
)

// A server and a client in one program. Both poll, as a game does in every tick.
func Example() {
	config := socket.Config{Start: time.Now(), Key: socket.NewKey(), Application: "example 1"}
	listener, err := socket.Listen("127.0.0.1:0", config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer listener.Close()
	client, err := socket.Dial(context.Background(), listener.Addr().String(), config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	client.Send(time.Since(config.Start), []byte("hello"))
	var server *socket.Conn
	for ; ; time.Sleep(time.Millisecond) {
		if c, ok := listener.Accept(); ok {
			server = c
		}
		if server == nil {
			continue
		}
		if d, ok := server.Receive(time.Since(config.Start)); ok {
			fmt.Printf("%s\n", d.Bytes)
			return
		}
	}
	// Output: hello
}
