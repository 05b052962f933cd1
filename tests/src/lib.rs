//! Integration tests of the gateway, over real sockets.
