// SPDX-License-Identifier: GPL-2.0
/*
 * CRC-32C of bytes and of socket buffers.  Where crc32c() is slow (compat.h) its algorithm
 * is called with a state of its own size, one word.
 * Spec: UE 1.0.1 3.5.25.
 */
#include <crypto/hash.h>
#include <linux/skbuff.h>

#include "base/base.h"
#include "crc32c.h"

static struct crypto_shash *crc32c_tfm;

/**
 * uet_crc32c_init() - find the fastest CRC-32C of the machine
 *
 * Context: Process.
 * Return: 0, or a negative errno: there is none.
 */
int uet_crc32c_init(void)
{
	struct crypto_shash *tfm;

	if (!UET_CRC32C_IS_SLOW)
		return 0;
	tfm = crypto_alloc_shash("crc32c", 0, 0);
	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	if (crypto_shash_descsize(tfm) != sizeof(u32)) {
		crypto_free_shash(tfm);
		return -EOPNOTSUPP;
	}
	crc32c_tfm = tfm;
	return 0;
}

/**
 * uet_crc32c_fini() - undo uet_crc32c_init()
 *
 * Context: Process.
 */
void uet_crc32c_fini(void)
{
	if (UET_CRC32C_IS_SLOW)
		crypto_free_shash(crc32c_tfm);
}

/*
 * Continue a CRC-32C.
 * @crc: that of the bytes before; ~0 in front of the first
 *
 * Context: Any but hard interrupt.
 * Return: the CRC, not inverted.
 */
u32 uet_crc32c(u32 crc, const void *data, u32 len)
{
	u8 space[sizeof(struct shash_desc) + sizeof(u32)]
		__aligned(__alignof__(struct shash_desc));
	struct shash_desc *desc = (struct shash_desc *)space;
	u32 *state = shash_desc_ctx(desc);

	if (!UET_CRC32C_IS_SLOW)
		return crc32c(crc, data, len);
	desc->tfm = crc32c_tfm;
	*state = crc;
	/* This algorithm cannot fail. */
	crypto_shash_update(desc, data, len);
	return *state;
}

/* Of page fragments: no memory of a 64-bit kernel has to be mapped. */
static u32 crc32c_frags(u32 crc, const struct sk_buff *skb, u32 skip, u32 len)
{
	const skb_frag_t *frag = skb_shinfo(skb)->frags;
	u32 here;

	for (; len; frag++, len -= here, skip = 0) {
		while (skip >= skb_frag_size(frag))
			skip -= skb_frag_size(frag++);
		here = min(len, skb_frag_size(frag) - skip);
		crc = uet_crc32c(crc, skb_frag_address(frag) + skip, here);
	}
	return crc;
}

/* Of any socket buffer. */
static noinline u32 crc32c_pieces(u32 crc, const struct sk_buff *skb, u32 skip,
				  u32 len)
{
	struct skb_seq_state state;
	u32 done = 0, here;
	const u8 *data;

	skb_prepare_seq_read((struct sk_buff *)skb, skip, skip + len, &state);
	while ((here = skb_seq_read(done, &data, &state))) {
		here = min(here, len - done);
		crc = uet_crc32c(crc, data, here);
		done += here;
	}
	return crc;
}

/*
 * Continue a CRC-32C with bytes of a socket buffer.
 * @skip: bytes from skb->data on that are left out
 * @len: number of bytes behind them, which @skb has
 *
 * Context: Any but hard interrupt.
 * Return: the CRC, not inverted.
 */
u32 uet_crc32c_skb(u32 crc, const struct sk_buff *skb, u32 skip, u32 len)
{
	u32 linear = skb_headlen(skb), here;

	if (skb_has_frag_list(skb) || !skb_frags_readable(skb))
		return crc32c_pieces(crc, skb, skip, len);
	if (skip < linear) {
		here = min(len, linear - skip);
		crc = uet_crc32c(crc, skb->data + skip, here);
		skip += here;
		len -= here;
	}
	return len ? crc32c_frags(crc, skb, skip - linear, len) : crc;
}
