// SPDX-License-Identifier: GPL-2.0
/*
 * Access to memory regions: finds a region by key, reads and changes its pages from softirq,
 * with one copy from packet payload to memory, and counts the operations of peers. uet_mr_get()
 * checks each access against the rights of the region, those of peers and those of the owner's
 * own operations.
 * Spec: UE 1.0.1 3.4.1 (authorization), Table 3-19.
 */
#include <linux/bvec.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uet.h>
#include <linux/xarray.h>

#include "endpoint.h"
#include "mr_region.h"

/* Find a registered region, without access to its pages. Under RCU while it is used. */
struct uet_mr *uet_mr_find(struct uet_sock *us, u64 key)
{
	struct uet_mr *mr = xa_load(&us->mr.space->mrs, key & UET_MR_KEY_MAX);

	return mr && mr->key == key ? mr : NULL;
}

/* The one place that decides what may be done to which bytes of a region. */
static u8 mr_check(const struct uet_mr *mr, u32 right, u64 offset, u64 len)
{
	if ((mr->rights & right) != right)
		return UET_RC_OP_VIOLATION;
	offset -= mr->base;
	if (offset > mr->length || len > mr->length - offset)
		return UET_RC_BAD_ADDR;
	return UET_RC_OK;
}

/**
 * uet_mr_get() - find memory by key to access its bytes
 * @us: endpoint
 * @key: memory key of a request
 * @right: UET_MR_WRITE, UET_MR_READ or UET_MR_ATOMIC: what a peer does;
 *	UET_MR_LOCAL_WRITE: data of the owner's operations is stored; 0: no byte is accessed
 * @offset: offset of the first byte in the region
 * @len: length, bytes
 * @rc: result: UET_RC_OK, BAD_MKEY, OP_VIOLATION (no such right) or BAD_ADDR
 *
 * The sources of operations have only UET_MR_READ, and are found for nothing else. The
 * deregistration of the region waits for uet_mr_release(): do not sleep before.
 * Return: the region, for uet_mr_release(); NULL unless @rc is UET_RC_OK.
 */
struct uet_mr *uet_mr_get(struct uet_sock *us, u64 key, u32 right, u64 offset, u64 len, u8 *rc)
{
	struct uet_mr *mr;

	rcu_read_lock();
	mr = uet_mr_find(us, key);
	if (!mr && right == UET_MR_READ)
		mr = xa_load(&us->mr.space->sources, key);
	*rc = mr ? mr_check(mr, right, offset, len) : UET_RC_BAD_MKEY;
	if (*rc == UET_RC_OK && !refcount_inc_not_zero(&mr->users))
		*rc = UET_RC_BAD_MKEY;
	rcu_read_unlock();
	return *rc == UET_RC_OK ? mr : NULL;
}
UET_EXPORT(uet_mr_get);

/**
 * uet_mr_release() - end the access to a region
 * @mr: from uet_mr_get(), or NULL
 */
void uet_mr_release(struct uet_mr *mr)
{
	if (mr && refcount_dec_and_test(&mr->users))
		complete(&mr->unused);
}
UET_EXPORT(uet_mr_release);

/**
 * uet_mr_is_aligned() - is an element in memory aligned to its size?
 * @mr: region of uet_mr_get(), or under RCU
 * @offset: offset of the element in the region
 * @size: bytes, a power of two
 */
bool uet_mr_is_aligned(const struct uet_mr *mr, u64 offset, u8 size)
{
	return IS_ALIGNED(mr->start + offset - mr->base, size);
}

static int mr_refuse(struct uet_sock *us, const char *what, u32 right, u64 len,
		     const struct uet_mr_ref *ref, u64 length, u8 rc)
{
	switch (rc) {
	case UET_RC_BAD_MKEY:
		return uet_sock_refuse(us, -EFAULT, "%s: key 0x%llx names no region of this socket",
				       what, ref->key);
	case UET_RC_OP_VIOLATION:
		return uet_sock_refuse(us, -EACCES, "%s: region 0x%llx %s",
				       what, ref->key, right == UET_MR_READ ?
				       "without UET_MR_READ cannot be read by the receiver" :
				       "with UET_MR_READ_ONLY gets no data");
	default:
		return uet_sock_refuse(us, -EFAULT, "%s: %llu bytes at %llu are beyond the region of %llu",
				       what, len, ref->offset, length);
	}
}

/**
 * uet_mr_refer() - reference a place in a region that is accessed later
 * @us: owner of the region
 * @what: name of the place, for UET_LAST_ERROR
 * @right: UET_MR_LOCAL_WRITE: data of the owner's operations is to go there;
 *	UET_MR_READ: a peer is to read it
 * @len: length, bytes
 * @align: required alignment of the memory, bytes, a power of two
 * @ref: in: @key and @offset; result: the other fields
 */
int uet_mr_refer(struct uet_sock *us, const char *what, u32 right, u64 len, u8 align,
		 struct uet_mr_ref *ref)
{
	const struct uet_mr *mr;
	bool is_aligned = true;
	u8 rc = UET_RC_BAD_MKEY;
	u64 length = 0;

	rcu_read_lock();
	mr = uet_mr_find(us, ref->key);
	if (mr) {
		ref->id = mr->id;
		length = mr->length;
		rc = mr_check(mr, right, ref->offset, len);
		is_aligned = uet_mr_is_aligned(mr, ref->offset, align);
	}
	rcu_read_unlock();
	if (rc != UET_RC_OK)
		return mr_refuse(us, what, right, len, ref, length, rc);
	if (!is_aligned)
		return uet_sock_refuse(us, -EINVAL, "%s: offset %llu is not aligned to the value of %u bytes",
				       what, ref->offset, align);
	return 0;
}

/* Find the page of a byte. Return: bytes from there to the end of the page. */
static u32 mr_locate(const struct uet_mr *mr, u64 offset, struct page **page, u32 *at)
{
	u64 pos = mr->start + offset - mr->base;

	*page = mr->pages[pos >> PAGE_SHIFT];
	*at = offset_in_page(pos);
	return PAGE_SIZE - *at;
}

/* Map a byte of a region to be read, for kunmap_local(). */
static const void *mr_map_load(const struct uet_mr *mr, u64 offset, u32 *left)
{
	struct page *page;
	u32 at;

	*left = mr_locate(mr, offset, &page, &at);
	return kmap_local_page(page) + at;
}

/*
 * Map a byte of a region to be changed; mr_unmap_store() ends it. There is no other way to a
 * pointer through which a region can be changed. Return: NULL: the memory may only be read.
 */
static void *mr_map_store(const struct uet_mr *mr, u64 offset, struct page **page, u32 *left)
{
	u32 at;

	if (!uet_mr_is_storable(mr))
		return NULL;
	*left = mr_locate(mr, offset, page, &at);
	return kmap_local_page(*page) + at;
}

static void mr_unmap_store(void *to, struct page *page)
{
	flush_dcache_page(page);
	kunmap_local(to);
}

/**
 * uet_mr_segments() - the pages of a part of a region
 * @mr: region of uet_mr_get()
 * @offset: offset of the first byte in the region
 * @len: length, bytes
 * @to: gets the parts of the pages, without references
 * @max: number of entries in @to
 * Return: number of entries used; 0 if they are too few.
 */
u32 uet_mr_segments(const struct uet_mr *mr, u64 offset, u32 len, struct bio_vec *to, u32 max)
{
	u32 nr, at, here;

	for (nr = 0; len; nr++, offset += here, len -= here) {
		if (nr == max)
			return 0;
		here = min(len, mr_locate(mr, offset, &to[nr].bv_page, &at));
		to[nr].bv_offset = at;
		to[nr].bv_len = here;
	}
	return nr;
}
UET_EXPORT(uet_mr_segments);

/**
 * uet_mr_write() - copy payload to a region
 * @mr: region of uet_mr_get()
 * @offset: offset of the first byte in the region
 * @skb: packet, starting at the payload
 * @len: length, bytes
 * Return: 0; -EFAULT: @skb is shorter, or the memory may only be read.
 */
int uet_mr_write(const struct uet_mr *mr, u64 offset, const struct sk_buff *skb, u32 len)
{
	u32 done, bytes, left;
	struct page *page;
	void *to;
	int err;

	for (done = 0; done < len; done += bytes) {
		to = mr_map_store(mr, offset + done, &page, &left);
		if (!to)
			return -EFAULT;
		bytes = min(len - done, left);
		err = skb_copy_bits(skb, done, to, bytes);
		mr_unmap_store(to, page);
		if (err)
			return err;
	}
	return 0;
}

/**
 * uet_mr_read() - copy bytes of a region
 * @mr: region of uet_mr_get()
 * @offset: offset of the first byte in the region
 * @to: destination
 * @len: length, bytes
 */
void uet_mr_read(const struct uet_mr *mr, u64 offset, void *to, u32 len)
{
	u32 done, bytes, left;
	const void *from;

	for (done = 0; done < len; done += bytes) {
		from = mr_map_load(mr, offset + done, &left);
		bytes = min(len - done, left);
		memcpy(to + done, from, bytes);
		kunmap_local(from);
	}
}

/* Atomically replace *@at by the result of @op; *@old gets the previous value. */
#define MR_EXCHANGE(type, op, at, operand, old)				\
do {									\
	type *p_ = (at);						\
	type old_ = READ_ONCE(*p_), new_;				\
									\
	do {								\
		new_ = uet_amo_exec(op, old_, operand);			\
	} while (new_ != old_ && !try_cmpxchg(p_, &old_, new_));	\
	*(old) = old_;							\
} while (0)

static void mr_exchange(void *at, const struct uet_amo_op *op, u64 operand, u64 *old)
{
	switch (op->size) {
	case 1:
		MR_EXCHANGE(u8, op, at, operand, old);
		break;
	case 2:
		MR_EXCHANGE(u16, op, at, operand, old);
		break;
	case 4:
		MR_EXCHANGE(u32, op, at, operand, old);
		break;
	case 8:
		MR_EXCHANGE(u64, op, at, operand, old);
		break;
	}
}

/* Operands that are read from a packet at once; of the largest size, those of 32 elements. */
#define MR_OPERANDS	256

/* Execute an operation on @nr elements in a row; their operands in wire format, if they have any. */
static void mr_exchange_run(void *at, const struct uet_amo_op *op, const u8 *wire, u32 nr, u64 *old)
{
	u64 operand = 0;
	u32 i;

	for (i = 0; i < nr * op->size; i += op->size) {
		if (wire)
			operand = uet_amo_get(wire + i, op->size, op->form);
		mr_exchange(at + i, op, operand, old);
	}
}

/**
 * uet_mr_atomic() - execute an atomic operation, atomic for processes, too, on each element
 * @mr: region of uet_mr_get(), elements aligned
 * @offset: offset of the first element in the region
 * @op: operation
 * @skb: packet, starting at the payload
 * @old: gets the previous value of the last element
 * Return: 0; -EFAULT: @skb has too few operands, or the memory may only be read.
 */
int uet_mr_atomic(const struct uet_mr *mr, u64 offset, const struct uet_amo_op *op,
		  const struct sk_buff *skb, u64 *old)
{
	bool has_operands = !op->has_operand && op->opcode != UET_AMO_READ;
	u32 end = op->count * op->size, done, bytes, left;
	u8 wire[MR_OPERANDS] __uninitialized;
	struct page *page;
	void *to;

	for (done = 0; done < end; done += bytes) {
		to = mr_map_store(mr, offset + done, &page, &left);
		if (!to)
			return -EFAULT;
		bytes = min3(end - done, left, (u32)sizeof(wire));
		if (has_operands && skb_copy_bits(skb, done, wire, bytes)) {
			mr_unmap_store(to, page);
			return -EFAULT;
		}
		mr_exchange_run(to, op, has_operands ? wire : NULL, bytes / op->size, old);
		mr_unmap_store(to, page);
	}
	return 0;
}

/* Store a value atomically. Return: false: the memory may only be read. */
static bool mr_set(const struct uet_mr *mr, u64 offset, u64 value, u8 size)
{
	struct page *page;
	void *to;
	u32 left;

	to = mr_map_store(mr, offset, &page, &left);
	if (!to)
		return false;
	switch (size) {
	case 1:
		WRITE_ONCE(*(u8 *)to, value);
		break;
	case 2:
		WRITE_ONCE(*(u16 *)to, value);
		break;
	case 4:
		WRITE_ONCE(*(u32 *)to, value);
		break;
	case 8:
		WRITE_ONCE(*(u64 *)to, value);
		break;
	}
	mr_unmap_store(to, page);
	return true;
}

/*
 * Nobody waits for the operations of a closed endpoint of the kernel, so their memory may be free
 * once softirq has ended.
 */
static bool mr_is_given_up(const struct uet_sock *us)
{
	return us->ops && READ_ONCE(us->rx.is_closed);
}

/*
 * Return: the region of a place, for mr_leave(); NULL if it was deregistered or given up, or has no
 * such bytes.
 */
static struct uet_mr *mr_enter(struct uet_sock *us, const struct uet_mr_ref *ref,
			       u64 offset, u64 len)
{
	struct uet_mr *mr = ref->own;
	u8 rc;

	if (mr_is_given_up(us))
		return NULL;
	if (mr)
		return mr_check(mr, UET_MR_LOCAL_WRITE, offset, len) == UET_RC_OK ?
		       mr : NULL;
	mr = uet_mr_get(us, ref->key, UET_MR_LOCAL_WRITE, offset, len, &rc);
	if (!mr || mr->id == ref->id)
		return mr;
	uet_mr_release(mr);
	return NULL;
}

static void mr_leave(struct uet_mr *mr, const struct uet_mr_ref *ref)
{
	if (!ref->own)
		uet_mr_release(mr);
}

static bool mr_put_value(const struct uet_fep *fep, const struct uet_mr *mr,
			 u64 offset, const struct sk_buff *skb, u32 len)
{
	u8 wire[sizeof(u64)];

	if (len > sizeof(wire) || skb_copy_bits(skb, 0, wire, len))
		return false;
	return mr_set(mr, offset, uet_amo_get(wire, len, uet_fep_amo_form(fep)),
		      len);
}

/**
 * uet_mr_put() - store received data at the place the owner chose
 * @us: owner, possibly closed
 * @ref: place, from uet_mr_refer(), for all of the data
 * @offset: offset of the first byte from that place
 * @skb: packet, starting at the payload
 * @len: length, bytes, within the place
 * @is_value: the result of an atomic, to be stored atomically in the byte order of this machine
 * Return: false if the region was deregistered; no memory was changed then.
 */
bool uet_mr_put(struct uet_sock *us, const struct uet_mr_ref *ref, u64 offset,
		const struct sk_buff *skb, u32 len, bool is_value)
{
	struct uet_mr *mr;
	bool is_done;

	offset += ref->offset;
	mr = mr_enter(us, ref, offset, len);
	if (!mr)
		return false;
	is_done = is_value ? mr_put_value(us->fep, mr, offset, skb, len) :
		  !uet_mr_write(mr, offset, skb, len);
	mr_leave(mr, ref);
	return is_done;
}

/**
 * uet_mr_apply() - execute an atomic operation at the place the owner chose
 * @us: owner of the region
 * @ref: place, from uet_mr_refer(), for all elements
 * @op: operation
 * @skb: packet, starting at the payload
 * @old: gets the previous value of the last element
 * Return: UET_RC_OK; UET_RC_CANCELLED: the region was deregistered; UET_RC_AMO_UNALIGNED;
 *	UET_RC_UNCOR: @skb has too few operands. No memory was changed then.
 */
u8 uet_mr_apply(struct uet_sock *us, const struct uet_mr_ref *ref, const struct uet_amo_op *op,
		const struct sk_buff *skb, u64 *old)
{
	struct uet_mr *mr = mr_enter(us, ref, ref->offset, op->count * op->size);
	u8 rc;

	if (!mr)
		return UET_RC_CANCELLED;
	if (!uet_mr_is_aligned(mr, ref->offset, op->size))
		rc = UET_RC_AMO_UNALIGNED;
	else
		rc = uet_mr_atomic(mr, ref->offset, op, skb, old) ? UET_RC_UNCOR : UET_RC_OK;
	mr_leave(mr, ref);
	return rc;
}

/* ------------------------------------------------------------------- counting */

/**
 * uet_mr_count() - count an operation of a peer, for UET_IOC_MR_COUNTS
 * @us: socket to which it was addressed
 * @mr: its region, whose pages the caller may still access
 * @use: its kind
 */
void uet_mr_count(struct uet_sock *us, struct uet_mr *mr, enum uet_mr_use use)
{
	/* A rendezvous message is read by its receiver, without a request of its owner. */
	if (mr->is_own)
		return;
	/* The bytes are in memory before the operation is counted. */
	smp_mb__before_atomic();
	atomic64_inc(&mr->uses.nr[use]);
	atomic64_inc(&us->mr.uses.nr[use]);
	/* Pairs with the xchg() in uet_mr_ioctl_counts(): it finds the count, or we wake. */
	smp_mb__after_atomic();
	if (!READ_ONCE(us->mr.has_uses) && !xchg(&us->mr.has_uses, 1))
		uet_sock_wake(&us->sk, EPOLLPRI);
}

static void mrcount_take(struct uet_mr_uses *uses, struct uet_mr_counts *counts)
{
	counts->writes = atomic64_xchg(&uses->nr[UET_MR_USE_WRITE], 0);
	counts->fetches = atomic64_xchg(&uses->nr[UET_MR_USE_FETCH], 0);
	counts->reads = atomic64_xchg(&uses->nr[UET_MR_USE_READ], 0);
}

/**
 * uet_mr_ioctl_counts() - UET_IOC_MR_COUNTS: operations of peers since the last call
 * @us: socket
 * @arg: struct uet_mr_counts
 */
int uet_mr_ioctl_counts(struct uet_sock *us, void *arg)
{
	struct uet_mr_counts *counts = arg;
	struct uet_mr *mr;
	u8 rc;

	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_MR_COUNTS: the socket is not bound");
	xchg(&us->mr.has_uses, 0);	/* Pairs with uet_mr_count(). */
	if (counts->key == UET_MR_ALL) {
		mrcount_take(&us->mr.uses, counts);
		return 0;
	}
	mr = uet_mr_get(us, counts->key, 0, 0, 0, &rc);
	if (!mr)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_MR_COUNTS: key 0x%llx names no region of this socket",
				       counts->key);
	mrcount_take(&mr->uses, counts);
	uet_mr_release(mr);
	return 0;
}
