// SPDX-License-Identifier: GPL-2.0
/*
 * Memory regions: registers and pins memory of a process, finds it by its key,
 * and changes it from softirq, where the payload of a packet goes to its place
 * in one copy.  What a request may do is for rx_rma.c to find out.
 *
 * Keys that the kernel chooses are random, so that knowing one tells nothing of
 * others; guessing one is the only way to a region for who may send to its
 * endpoint at all.
 * Spec: UE 1.0.1 Table 2-13 (keys), 3.4.1 (authorization).  Level: shell.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uet.h>
#include <linux/xarray.h>

#include "mr.h"
#include "sock.h"

#define MR_FLAGS	(UET_MR_FIXED_KEY | UET_MR_IDEMPOTENT_SAFE)

/* Tries to find a random key that is not in use. */
#define MR_KEY_TRIES	16

/**
 * struct uet_mr - a memory region; does not change while it can be found
 * @key: its key, with UET_MR_KEY_IDEMPOTENT_SAFE; RKEY is where it is found
 * @length: bytes
 * @access: UET_MR_WRITE, UET_MR_ATOMIC
 * @start: offset of the first byte in the first page
 * @nr_pages: pages, all of them pinned
 * @pages: array of them
 * @pin: whose RLIMIT_MEMLOCK they count for
 */
struct uet_mr {
	u64 key;
	u64 length;
	u32 access;
	u32 start;
	unsigned long nr_pages;
	struct page **pages;
	struct mmpin pin;
};

/* Give everything back; nobody can find it any more. */
static void mr_free(struct uet_mr *mr)
{
	unpin_user_pages_dirty_lock(mr->pages, mr->nr_pages, true);
	mm_unaccount_pinned_pages(&mr->pin);
	kvfree(mr->pages);
	kfree(mr);
}

/* ------------------------------------------------------------- registering */

static int mr_check_args(struct uet_sock *us, const struct uet_mr_reg *arg)
{
	u64 end;

	if (!uet_sock_is_bound(us))
		return uet_sock_refuse(us, -ENOTCONN, "UET_IOC_MR_REG: the socket is not bound");
	if (arg->flags & ~MR_FLAGS)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: flags 0x%x are unknown",
				       arg->flags & ~MR_FLAGS);
	if (arg->access & ~(UET_MR_WRITE | UET_MR_ATOMIC))
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: access 0x%x is more than 0x%x",
				       arg->access, UET_MR_WRITE | UET_MR_ATOMIC);
	if (arg->flags & UET_MR_IDEMPOTENT_SAFE && arg->access != UET_MR_WRITE)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: access 0x%x of a region with UET_MR_IDEMPOTENT_SAFE, which can only be written",
				       arg->access);
	if (!arg->length || arg->length > UET_MR_LENGTH_MAX)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: length %llu is not in 1..%llu",
				       arg->length, UET_MR_LENGTH_MAX);
	if (check_add_overflow(arg->addr, arg->length, &end) || end > ULONG_MAX)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: addr and length wrap around");
	if (!(arg->flags & UET_MR_FIXED_KEY) && arg->key)
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: key is not 0, without UET_MR_FIXED_KEY");
	if (arg->key > min_t(u64, UET_MR_KEY_MAX, ULONG_MAX))
		return uet_sock_refuse(us, -EINVAL, "UET_IOC_MR_REG: key 0x%llx is above 0x%llx",
				       arg->key, min_t(u64, UET_MR_KEY_MAX, ULONG_MAX));
	return 0;
}

/* Pin all pages, or none. */
static int mr_pin(struct uet_mr *mr, unsigned long addr)
{
	unsigned long done = 0;
	int n;

	while (done < mr->nr_pages) {
		n = pin_user_pages_fast((addr & PAGE_MASK) + (done << PAGE_SHIFT),
					min_t(unsigned long, INT_MAX,
					      mr->nr_pages - done),
					FOLL_WRITE | FOLL_LONGTERM,
					mr->pages + done);
		if (n <= 0) {
			unpin_user_pages(mr->pages, done);
			return n ? : -EFAULT;
		}
		done += n;
	}
	return 0;
}

/* Return: the region, not to be found yet, or an ERR_PTR(). */
static struct uet_mr *mr_make(struct uet_sock *us, const struct uet_mr_reg *arg)
{
	struct uet_mr *mr;
	int err;

	mr = kzalloc(sizeof(*mr), GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	mr->length = arg->length;
	mr->access = arg->access;
	mr->start = offset_in_page(arg->addr);
	mr->nr_pages = DIV_ROUND_UP(mr->start + arg->length, PAGE_SIZE);
	mr->pages = kvmalloc_array(mr->nr_pages, sizeof(*mr->pages),
				   GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	err = -ENOMEM;
	if (!mr->pages)
		goto err_free;
	if (mm_account_pinned_pages(&mr->pin, mr->nr_pages << PAGE_SHIFT)) {
		uet_sock_refuse(us, err, "UET_IOC_MR_REG: %lu pages are above RLIMIT_MEMLOCK",
				mr->nr_pages);
		goto err_free;
	}
	err = mr_pin(mr, arg->addr);
	if (err) {
		uet_sock_refuse(us, err, "UET_IOC_MR_REG: memory from 0x%llx on cannot be written or pinned",
				arg->addr);
		goto err_account;
	}
	return mr;

err_account:
	mm_unaccount_pinned_pages(&mr->pin);
err_free:
	kvfree(mr->pages);
	kfree(mr);
	return ERR_PTR(err);
}

static u64 mr_random_key(void)
{
	return get_random_u64() & min_t(u64, UET_MR_KEY_MAX, ULONG_MAX);
}

/* From here on peers can find it, and others deregister it. */
static int mr_insert_as(struct uet_sock *us, struct uet_mr *mr, u64 rkey,
			const struct uet_mr_reg *arg, u64 *key)
{
	*key = rkey;
	if (arg->flags & UET_MR_IDEMPOTENT_SAFE)
		*key |= UET_MR_KEY_IDEMPOTENT_SAFE;
	mr->key = *key;
	return xa_insert(&us->mrs, rkey, mr, GFP_KERNEL_ACCOUNT);
}

static int mr_insert(struct uet_sock *us, struct uet_mr *mr,
		     const struct uet_mr_reg *arg, u64 *key)
{
	int tries, err = -EBUSY;

	if (arg->flags & UET_MR_FIXED_KEY) {
		err = mr_insert_as(us, mr, arg->key, arg, key);
		if (err == -EBUSY)
			return uet_sock_refuse(us, -EEXIST, "UET_IOC_MR_REG: key 0x%llx is in use",
					       arg->key);
		return err;
	}
	for (tries = 0; tries < MR_KEY_TRIES && err == -EBUSY; tries++)
		err = mr_insert_as(us, mr, mr_random_key(), arg, key);
	return err;
}

/**
 * uet_mr_ioctl_reg() - UET_IOC_MR_REG: register memory
 * @us: socket
 * @arg: user's struct uet_mr_reg; gets the key
 *
 * Context: Process, sleeps.
 * Return: 0; -EFAULT; -EINVAL; -ENOTCONN; -EEXIST the key is in use; -ENOMEM also
 *	above RLIMIT_MEMLOCK; or an error of pin_user_pages_fast().
 */
int uet_mr_ioctl_reg(struct uet_sock *us, void __user *arg)
{
	struct uet_mr_reg __user *user = arg;
	struct uet_mr_reg reg;
	struct uet_mr *mr;
	u64 key;
	int err;

	if (copy_from_user(&reg, arg, sizeof(reg)))
		return -EFAULT;
	err = mr_check_args(us, &reg);
	if (err)
		return err;
	mr = mr_make(us, &reg);
	if (IS_ERR(mr))
		return PTR_ERR(mr);
	err = mr_insert(us, mr, &reg, &key);
	if (err) {
		mr_free(mr);
		return err;
	}
	/* It is there, whatever becomes of the caller's memory. */
	return put_user(key, &user->key) ? -EFAULT : 0;
}

/**
 * uet_mr_ioctl_dereg() - UET_IOC_MR_DEREG: nobody may access it any more
 * @us: socket
 * @arg: user's __u64, the key
 *
 * Context: Process, sleeps.
 * Return: 0: no peer changes it any more; -EFAULT; -ENOENT.
 */
int uet_mr_ioctl_dereg(struct uet_sock *us, void __user *arg)
{
	struct uet_mr *mr = NULL;
	u64 key;

	if (copy_from_user(&key, arg, sizeof(key)))
		return -EFAULT;
	rcu_read_lock();
	if (uet_mr_find(us, key))
		mr = xa_erase(&us->mrs, key & UET_MR_KEY_MAX);
	rcu_read_unlock();
	if (!mr)
		return uet_sock_refuse(us, -ENOENT, "UET_IOC_MR_DEREG: key 0x%llx names no region of this socket",
				       key);
	synchronize_rcu();
	mr_free(mr);
	return 0;
}

/**
 * uet_mr_purge() - deregister all memory of a socket that is being closed
 * @us: socket
 *
 * Context: Process, sleeps.
 */
void uet_mr_purge(struct uet_sock *us)
{
	struct uet_mr *mr;
	unsigned long key;

	if (xa_empty(&us->mrs))
		return;
	/* Nobody finds the socket any more. */
	synchronize_rcu();
	xa_for_each(&us->mrs, key, mr)
		mr_free(mr);
	xa_destroy(&us->mrs);
}

/* ---------------------------------------------------------------- accessing */

/**
 * uet_mr_find() - the region that a key names
 * @us: endpoint
 * @key: as it came in a request
 *
 * Context: rcu_read_lock() held, as long as the region is used.
 * Return: the region, or NULL.
 */
const struct uet_mr *uet_mr_find(struct uet_sock *us, u64 key)
{
	const u64 rkey = key & UET_MR_KEY_MAX;
	const struct uet_mr *mr;

	mr = rkey <= ULONG_MAX ? xa_load(&us->mrs, rkey) : NULL;
	return mr && mr->key == key ? mr : NULL;
}

/**
 * uet_mr_check() - may a region be accessed like this?
 * @mr: region
 * @offset: of the first byte, from the start of the region
 * @len: bytes
 * @access: UET_MR_WRITE or UET_MR_ATOMIC
 *
 * Context: rcu_read_lock() held.
 * Return: UET_RC_OK, UET_RC_OP_VIOLATION or UET_RC_BAD_ADDR.
 * Spec: UE 1.0.1 Table 3-19.
 */
u8 uet_mr_check(const struct uet_mr *mr, u64 offset, u32 len, u32 access)
{
	if (!(mr->access & access))
		return UET_RC_OP_VIOLATION;
	if (offset > mr->length || len > mr->length - offset)
		return UET_RC_BAD_ADDR;
	return UET_RC_OK;
}

/**
 * uet_mr_own() - a part of a region that its owner has named
 * @us: endpoint
 * @key: key of the region
 * @offset: of the first byte, from the start of the region
 * @len: bytes
 * @mr: result
 *
 * What requests may do with the region does not matter.
 *
 * Context: rcu_read_lock() held, as long as the region is used.
 * Return: 0; -ENOENT: no such region; -ERANGE: beyond the region.
 */
int uet_mr_own(struct uet_sock *us, u64 key, u64 offset, u64 len,
	       const struct uet_mr **mr)
{
	*mr = uet_mr_find(us, key);
	if (!*mr)
		return -ENOENT;
	if (offset > (*mr)->length || len > (*mr)->length - offset)
		return -ERANGE;
	return 0;
}

/**
 * uet_mr_is_aligned() - is an element of this size at its place in memory?
 * @mr: region
 * @offset: of the element, from the start of the region
 * @size: its size, a power of two
 *
 * Context: rcu_read_lock() held.
 * Return: true if it does not straddle anything.
 */
bool uet_mr_is_aligned(const struct uet_mr *mr, u64 offset, u8 size)
{
	return IS_ALIGNED(mr->start + offset, size);
}

/* Where a byte is. Return: bytes from there to the end of its page. */
static u32 mr_locate(const struct uet_mr *mr, u64 offset, struct page **page,
		     u32 *at)
{
	u64 pos = mr->start + offset;

	*page = mr->pages[pos >> PAGE_SHIFT];
	*at = offset_in_page(pos);
	return PAGE_SIZE - *at;
}

/**
 * uet_mr_write() - put payload where it belongs
 * @mr: region, checked
 * @offset: of the first byte, from the start of the region
 * @skb: packet, from the payload on
 * @len: bytes
 *
 * Context: rcu_read_lock() held.
 * Return: 0, or -EFAULT if @skb has fewer bytes.
 */
int uet_mr_write(const struct uet_mr *mr, u64 offset, const struct sk_buff *skb,
		 u32 len)
{
	u32 done, bytes, at;
	struct page *page;
	void *to;
	int err;

	for (done = 0; done < len; done += bytes) {
		bytes = min(len - done, mr_locate(mr, offset + done, &page, &at));
		to = kmap_local_page(page);
		err = skb_copy_bits(skb, done, to + at, bytes);
		flush_dcache_page(page);
		kunmap_local(to);
		if (err)
			return err;
	}
	return 0;
}

/* Replace *@at in one step by what @op makes of it. */
#define MR_EXCHANGE(type, op, at, operand)				\
do {									\
	type *p_ = (at);						\
	type old_ = READ_ONCE(*p_), new_;				\
									\
	do {								\
		new_ = uet_amo_exec(op, old_, operand);			\
	} while (new_ != old_ && !try_cmpxchg(p_, &old_, new_));	\
} while (0)

static void mr_exchange(void *at, const struct uet_amo_op *op, u64 operand)
{
	switch (op->size) {
	case 1:
		MR_EXCHANGE(u8, op, at, operand);
		break;
	case 2:
		MR_EXCHANGE(u16, op, at, operand);
		break;
	case 4:
		MR_EXCHANGE(u32, op, at, operand);
		break;
	case 8:
		MR_EXCHANGE(u64, op, at, operand);
		break;
	}
}

/* Operands in the payload are in the byte order of memory: ours. */
static int mr_operand(const struct uet_amo_op *op, const struct sk_buff *skb,
		      u32 at, u64 *operand)
{
	union { u8 u8; u16 u16; u32 u32; u64 u64; } value;

	*operand = 0;
	if (op->has_operand)
		return 0;
	if (skb_copy_bits(skb, at, &value, op->size))
		return -EFAULT;
	switch (op->size) {
	case 1:
		*operand = value.u8;
		break;
	case 2:
		*operand = value.u16;
		break;
	case 4:
		*operand = value.u32;
		break;
	case 8:
		*operand = value.u64;
		break;
	}
	return 0;
}

/**
 * uet_mr_atomic() - execute an atomic operation
 * @mr: region, checked, the elements aligned
 * @offset: of the first element, from the start of the region
 * @op: operation
 * @skb: packet, from the payload on
 *
 * Each element is replaced in one step, seen from any processor, the operations
 * of processes included.
 *
 * Context: rcu_read_lock() held.
 * Return: 0, or -EFAULT if @skb has fewer operands.
 */
int uet_mr_atomic(const struct uet_mr *mr, u64 offset,
		  const struct uet_amo_op *op, const struct sk_buff *skb)
{
	struct page *page;
	u64 operand;
	u32 i, at;
	void *to;

	for (i = 0; i < op->count; i++) {
		if (mr_operand(op, skb, i * op->size, &operand))
			return -EFAULT;
		mr_locate(mr, offset + i * op->size, &page, &at);
		to = kmap_local_page(page);
		mr_exchange(to + at, op, operand);
		flush_dcache_page(page);
		kunmap_local(to);
	}
	return 0;
}
