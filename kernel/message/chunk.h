/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory for the data of outgoing messages, and what a socket keeps of it for the next
 * ones.
 */
#ifndef UET_CHUNK_H
#define UET_CHUNK_H

#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct page;
struct uet_sock;

/* Largest piece of memory: as large as the pieces of other sockets. */
#define UET_CHUNK_WHOLE		SZ_32K

/**
 * struct uet_chunk - contiguous data of a message
 * @link: in uet_tx_message.chunks, or in a list that is added to or removed
 *	from it
 * @page: first page of the allocation with the data, one reference; NULL: the
 *	data is in the allocation of the message
 * @data: the data
 * @start: offset of the first byte in the message; set by
 *	uet_tx_message_append()
 * @len: length, bytes, not 0
 * @is_whole: the data has the allocation to itself, UET_CHUNK_WHOLE bytes
 */
struct uet_chunk {
	struct list_head link;
	struct page *page;
	u8 *data;
	u32 start;
	u32 len;
	bool is_whole;
};

int uet_chunk_init(void);
void uet_chunk_fini(void);
struct uet_chunk *uet_chunk_alloc(struct uet_sock *us, u32 bytes);
u32 uet_chunks_free(struct uet_sock *us, struct list_head *chunks);

void uet_spares_open(struct uet_sock *us);
void uet_spares_close(struct uet_sock *us);

#endif
