// SPDX-License-Identifier: GPL-2.0
/*
 * Codec of the two headers that may precede the PDS header: the security header, and the
 * entropy header of the native IP form.  Keys, IVs, replay and entropy are elsewhere.
 *
 * Spec: UE 1.0.1 3.7.11 (TSS), Table 3-31 (entropy header).  Level: core L1.
 */
#include "wire.h"

/* First byte of a security header; the type is the high five bits. */
#define TSS_SP		0x04
#define TSS_AN		0x01

/*
 * uet_wire_tss_decode() - read a security header; UET_DROP_NONE, TRUNC_TSS, TRUNC_TSS_SSI or
 * NOT_TSS
 */
enum uet_drop uet_wire_tss_decode(const u8 *buf, size_t len,
				  struct uet_tss_hdr *tss, size_t *consumed)
{
	const u8 *tail;

	memset(tss, 0, sizeof(*tss));
	if (len < UET_TSS_LEN)
		return UET_DROP_TRUNC_TSS;
	if (uet_wire_type(buf) != UET_TY_TSS)
		return UET_DROP_NOT_TSS;
	tss->has_ssi = buf[0] & TSS_SP;
	if (tss->has_ssi && len < UET_TSS_SSI_LEN)
		return UET_DROP_TRUNC_TSS_SSI;
	tss->an = buf[0] & TSS_AN;
	tss->sdi = get_unaligned_be24(buf + 1);
	if (tss->has_ssi)
		tss->ssi = get_unaligned_be32(buf + 4);
	tail = buf + (tss->has_ssi ? 8 : 4);
	tss->epoch = get_unaligned_be16(tail);
	tss->tsc = get_unaligned_be48(tail + 2);
	*consumed = tss->has_ssi ? UET_TSS_SSI_LEN : UET_TSS_LEN;
	return UET_DROP_NONE;
}

/*
 * uet_wire_tss_encode() - write a security header
 */
size_t uet_wire_tss_encode(const struct uet_tss_hdr *tss, u8 *buf, size_t space)
{
	size_t len = tss->has_ssi ? UET_TSS_SSI_LEN : UET_TSS_LEN;
	u8 *tail;

	if (space < len || tss->an > 1 || tss->sdi > UET_SDI_MAX || tss->tsc >> 48)
		return 0;
	buf[0] = UET_TY_TSS << 3 | (tss->has_ssi ? TSS_SP : 0) | tss->an;
	put_unaligned_be24(tss->sdi, buf + 1);
	if (tss->has_ssi)
		put_unaligned_be32(tss->ssi, buf + 4);
	tail = buf + len - 8;
	put_unaligned_be16(tss->epoch, tail);
	put_unaligned_be48(tss->tsc, tail + 2);
	return len;
}

/*
 * uet_wire_entropy_encode() - write the entropy header of the native IP form
 */
size_t uet_wire_entropy_encode(u16 ev, u8 *buf, size_t space)
{
	if (space < UET_ENTROPY_LEN)
		return 0;
	put_unaligned_be16(ev, buf);
	put_unaligned_be16(0, buf + 2);
	return UET_ENTROPY_LEN;
}
