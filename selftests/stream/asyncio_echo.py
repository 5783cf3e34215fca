#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Streams of asyncio: a server that sends back what it gets, and clients that compare.

	serve HOST PORT
	echo HOST PORT CLIENTS BYTES	ends with status 0 if all bytes have come back
"""
import asyncio
import random
import sys


async def serve_one(reader, writer):
	while part := await reader.read(1 << 16):
		writer.write(part)
		await writer.drain()
	writer.close()


async def serve(host, port):
	async with await asyncio.start_server(serve_one, host, port) as server:
		await server.serve_forever()


async def echo_one(host, port, data):
	reader, writer = await asyncio.open_connection(host, port)

	async def send():
		writer.write(data)
		await writer.drain()
		writer.write_eof()
	_, back = await asyncio.gather(send(), reader.read(-1))
	writer.close()
	return back == data


async def echo(host, port, clients, size):
	source = random.Random(1)
	return all(await asyncio.gather(*(echo_one(host, port, source.randbytes(size))
					  for _ in range(clients))))


if sys.argv[1] == "serve":
	asyncio.run(serve(sys.argv[2], int(sys.argv[3])))
else:
	sys.exit(not asyncio.run(echo(sys.argv[2], *(int(arg) for arg in sys.argv[3:6]))))
