/** The yardstick's shim: a pipe between a host and the socket, and nothing else. */
const { connect } = require('node:net');

const socket = connect(process.argv[2]);
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
