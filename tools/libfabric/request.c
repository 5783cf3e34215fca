// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/*
 * Operations under way: their numbers, and memory that stands for buffers of the user.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "endpoint.h"

static int add_chunk(struct lf_ep *ep)
{
	struct lf_req *chunk;
	uint32_t i;

	if (ep->nr_chunks == LF_CHUNKS)
		return -FI_EAGAIN;
	chunk = calloc(LF_CHUNK, sizeof(*chunk));
	if (!chunk)
		return -FI_ENOMEM;
	for (i = 0; i < LF_CHUNK; i++) {
		chunk[i].slot = ep->nr_chunks * LF_CHUNK + i;
		STAILQ_INSERT_TAIL(&ep->free, &chunk[i], link);
	}
	ep->chunks[ep->nr_chunks++].reqs = chunk;
	return 0;
}

struct lf_req *lf_req_get(struct lf_ep *ep, void *context, uint64_t flags)
{
	struct lf_req *req;

	if (STAILQ_EMPTY(&ep->free) && add_chunk(ep))
		return NULL;
	req = STAILQ_FIRST(&ep->free);
	STAILQ_REMOVE_HEAD(&ep->free, link);
	req->is_busy = true;
	req->is_silent = false;
	req->is_reported = false;
	req->is_discard = false;
	req->is_short = false;
	req->context = context;
	req->flags = flags;
	req->buf = NULL;
	req->length = 0;
	req->iov_count = 0;
	req->parts = 0;
	req->deferred = 0;
	memset(&req->event, 0, sizeof(req->event));
	req->rest.length = 0;
	return req;
}

/*
 * Completions that were not read keep numbers.  Without them the operations wait for peers,
 * which may wait for further ones: to try again would not end.
 */
int lf_req_none(const struct lf_ep *ep)
{
	return uet_cq_peek(&ep->cq) ? -FI_EAGAIN : -FI_ENOMEM;
}

struct lf_req *lf_req_find(const struct lf_ep *ep, uint64_t cookie)
{
	struct lf_req *req;

	if (cookie >= (uint64_t)ep->nr_chunks * LF_CHUNK)
		return NULL;
	req = &ep->chunks[cookie / LF_CHUNK].reqs[cookie % LF_CHUNK];
	return req->is_busy ? req : NULL;
}

void lf_req_put(struct lf_ep *ep, struct lf_req *req)
{
	if (!req->is_short)
		free(req->bounce);
	req->bounce = NULL;
	req->is_busy = false;
	ep->deferred -= req->deferred;
	/* At the end: successive numbers let the kernel join completions. */
	STAILQ_INSERT_TAIL(&ep->free, req, link);
}

static void chunk_free(struct lf_chunk *chunk)
{
	unsigned int i;

	for (i = 0; i < LF_CHUNK; i++) {
		if (!chunk->reqs[i].is_short)
			free(chunk->reqs[i].bounce);
		free(chunk->reqs[i].event.text);
	}
	free(chunk->reqs);
	if (chunk->memory && chunk->memory != MAP_FAILED)
		munmap(chunk->memory, LF_CHUNK * LF_SHORT);
}

void lf_reqs_free(struct lf_ep *ep)
{
	unsigned int i;

	for (i = 0; i < ep->nr_chunks; i++)
		chunk_free(&ep->chunks[i]);
}

size_t lf_iov_length(const struct iovec *iov, size_t count)
{
	size_t length = 0;

	while (count--)
		length += iov[count].iov_len;
	return length;
}

void lf_gather(char *to, const struct iovec *iov, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		memcpy(to, iov[i].iov_base, iov[i].iov_len);
		to += iov[i].iov_len;
	}
}

/*
 * Once for each chunk: a user who may not lock this memory has none.  Small keys are found
 * fastest; the socket has no other regions, and peers have no access to these.
 */
static void chunk_register(const struct lf_ep *ep, struct lf_chunk *chunk)
{
	struct uet_mr_reg reg = {
		.length = LF_CHUNK * LF_SHORT,
		.key = (uint64_t)(chunk - ep->chunks),
		.flags = UET_MR_FIXED_KEY,
	};

	chunk->memory = mmap(NULL, reg.length, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (chunk->memory == MAP_FAILED)
		return;
	reg.addr = (uintptr_t)chunk->memory;
	if (uet_ioctl(ep->fd, UET_IOC_MR_REG, &reg)) {
		munmap(chunk->memory, reg.length);
		chunk->memory = MAP_FAILED;
	}
}

static void set_results(struct lf_req *req, const struct iovec *iov, size_t count)
{
	memcpy(req->iov, iov, count * sizeof(*iov));
	req->iov_count = (unsigned int)count;
}

bool lf_req_short(struct lf_ep *ep, struct lf_req *req, const struct iovec *iov, size_t count)
{
	struct lf_chunk *chunk = &ep->chunks[req->slot / LF_CHUNK];
	size_t length = lf_iov_length(iov, count);

	if (!length || length > LF_SHORT)
		return false;
	if (!chunk->memory)
		chunk_register(ep, chunk);
	if (chunk->memory == MAP_FAILED)
		return false;
	req->is_short = true;
	req->bounce = chunk->memory + lf_req_place(req);
	req->length = length;
	set_results(req, iov, count);
	return true;
}

int lf_req_bounce(struct lf_req *req, const struct iovec *iov, size_t count, bool is_result)
{
	size_t length = lf_iov_length(iov, count);

	req->bounce = malloc(length ? length : 1);
	if (!req->bounce)
		return -FI_ENOMEM;
	req->buf = req->bounce;
	req->length = length;
	if (is_result)
		set_results(req, iov, count);
	else
		lf_gather(req->bounce, iov, count);
	return 0;
}

void lf_req_scatter(struct lf_req *req, size_t length)
{
	const char *from = req->bounce;
	unsigned int i;
	size_t n;

	for (i = 0; i < req->iov_count && length; i++) {
		n = req->iov[i].iov_len < length ? req->iov[i].iov_len : length;
		memcpy(req->iov[i].iov_base, from, n);
		from += n;
		length -= n;
	}
}
