#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A server that answers requests in a coroutine, and its clients, with python3-uet.

    ueadm job run -n 4 -- ./request.py

Rank 0 is the server. Each other rank sends it three requests; an empty message ends it.
"""
import asyncio

import uet


async def serve(u):
    answered = left = 0
    with uet.Reader(u) as reader:
        while left < u.size - 1:
            message = await reader.recv()
            if message.data:
                u.send(message.peer, message.data.upper())
                answered += 1
            else:
                left += 1
    print(answered, "requests answered")


def ask(u):
    server = u.peer(0)
    for number in range(3):
        request = b"request %d of rank %d" % (number, u.rank)
        u.send(server, request)
        answer = u.recv().data
        assert answer == request.upper(), answer
    u.send(server, b"", wait=True)


with uet.Endpoint() as u:
    u.barrier()
    if u.rank == 0:
        asyncio.run(serve(u))
    else:
        ask(u)
    u.finish()
