/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The userspace half of kernel/core/shim.h: the kernel names the core may use,
 * written with the C library, so that unit tests, simulator and fuzzers link
 * the very sources the module is built from.  Semantics match the kernel's for
 * the arguments the core passes; nothing here is meant for other programs.
 * Bitmaps are arrays of unsigned long, bit 0 least significant, as there.
 */
#ifndef UET_SHIM_USER_H
#define UET_SHIM_USER_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Types */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef uint16_t __be16;
typedef uint32_t __be32;
typedef uint64_t __be64;

#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define U64_MAX		((u64)~0ULL)
#define S16_MAX		((s16)(U16_MAX >> 1))
#define S16_MIN		((s16)(-S16_MAX - 1))
#define S32_MAX		((s32)(U32_MAX >> 1))
#define S32_MIN		((s32)(-S32_MAX - 1))
#define S64_MAX		((s64)(U64_MAX >> 1))
#define S64_MIN		((s64)(-S64_MAX - 1))

/* Compiler */

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define fallthrough	__attribute__((__fallthrough__))
#define __must_check	__attribute__((__warn_unused_result__))
#define __maybe_unused	__attribute__((__unused__))
#define __always_unused	__attribute__((__unused__))
#define __pure		__attribute__((__pure__))
#define __packed	__attribute__((__packed__))
#define __aligned(x)	__attribute__((__aligned__(x)))
#define noinline	__attribute__((__noinline__))
#define __acquires(lock)
#ifndef __always_inline
#define __always_inline	inline __attribute__((__always_inline__))
#endif

#define READ_ONCE(x)	(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v) (*(volatile __typeof__(x) *)&(x) = (v))

/* As in the kernel, the message is optional in every language level. */
#undef static_assert
#define static_assert(cond, ...) _Static_assert(cond, #cond)
#define BUILD_BUG_ON(cond) _Static_assert(!(cond), #cond)
#define UET_ASSERT(cond) \
	do { if (unlikely(!(cond))) abort(); } while (0)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define container_of(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define offsetofend(type, member) \
	(offsetof(type, member) + sizeof_field(type, member))
#define struct_size(p, member, n) \
	(sizeof(*(p)) + sizeof(*(p)->member) * (size_t)(n))

/* Locks: the core runs in a single thread here. */

struct uet_lock {
	char none[0];
};

#define uet_lock_init(l)	((void)(l))
#define uet_lock_take(l)	((void)(l))
#define uet_lock_drop(l)	((void)(l))

/* Arithmetic */

/*
 * Operands must agree in size and sign.  The kernel requires the same type;
 * here u64 is not "unsigned long long", so equal size has to suffice.
 */
#define __shim_signed(x) ((__typeof__(x))-1 < (__typeof__(x))1)
#define __shim_cmp(x, y, op) ({			\
	__typeof__(x) _x = (x);			\
	__typeof__(y) _y = (y);			\
	_Static_assert(sizeof(_x) == sizeof(_y) && \
		       __shim_signed(_x) == __shim_signed(_y), \
		       "min or max of unlike types");	\
	_x op _y ? _x : _y; })
#define __shim_cmp_t(type, x, y, op) ({		\
	type _xt = (type)(x);			\
	type _yt = (type)(y);			\
	_xt op _yt ? _xt : _yt; })

#define min(x, y)	__shim_cmp(x, y, <)
#define max(x, y)	__shim_cmp(x, y, >)
#define min_t(type, x, y) __shim_cmp_t(type, x, y, <)
#define max_t(type, x, y) __shim_cmp_t(type, x, y, >)
#define min3(x, y, z)	min((__typeof__(x))min(x, y), z)
#define max3(x, y, z)	max((__typeof__(x))max(x, y), z)
#define clamp(v, lo, hi) min((__typeof__(v))max(v, lo), hi)
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)
#define min_not_zero(x, y) ({			\
	__typeof__(x) _mx = (x);		\
	__typeof__(y) _my = (y);		\
	!_mx ? _my : !_my ? _mx : min(_mx, _my); })
#define swap(a, b) \
	do { __typeof__(a) _t = (a); (a) = (b); (b) = _t; } while (0)

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_up(x, y)		((((x) - 1) | ((__typeof__(x))((y) - 1))) + 1)
#define round_down(x, y)	((x) & ~((__typeof__(x))((y) - 1)))
#define ALIGN(x, a)		round_up(x, a)

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d)	__builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)

static inline size_t size_add(size_t a, size_t b)
{
	size_t sum;

	return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

static inline size_t size_mul(size_t a, size_t b)
{
	size_t prod;

	return __builtin_mul_overflow(a, b, &prod) ? SIZE_MAX : prod;
}

static inline u64 div_u64(u64 n, u32 d)
{
	return n / d;
}

static inline u64 div_u64_rem(u64 n, u32 d, u32 *rem)
{
	*rem = (u32)(n % d);
	return n / d;
}

static inline u64 div64_u64(u64 n, u64 d)
{
	return n / d;
}

static inline s64 div_s64(s64 n, s32 d)
{
	return n / d;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * mul) >> shift);
}

static inline s32 sign_extend32(u32 value, int index)
{
	int shift = 31 - index;

	return (s32)(value << shift) >> shift;
}

#define lower_32_bits(n)	((u32)((n) & 0xffffffff))
#define upper_32_bits(n)	((u32)(((n) >> 16) >> 16))

static inline u32 rol32(u32 w, unsigned int s)
{
	return (w << (s & 31)) | (w >> (-s & 31));
}

static inline u64 rol64(u64 w, unsigned int s)
{
	return (w << (s & 63)) | (w >> (-s & 63));
}

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

/* Secrets: cleared although nothing reads them afterwards. */
static inline void memzero_explicit(void *p, size_t n)
{
	memset(p, 0, n);
	__asm__ __volatile__("" : : "r" (p) : "memory");
}

/* Bits of a word */

#define BITS_PER_LONG		((int)(8 * sizeof(long)))
#define BITS_PER_LONG_LONG	64
#define BITS_PER_BYTE		8
#define BIT(n)			(1UL << (n))
#define BIT_ULL(n)		(1ULL << (n))
#define GENMASK(h, l) \
	((~0UL << (l)) & (~0UL >> (BITS_PER_LONG - 1 - (h))))
#define GENMASK_ULL(h, l)	((~0ULL << (l)) & (~0ULL >> (63 - (h))))
#define __bf_shf(m)		__builtin_ctzll(m)
#define FIELD_GET(m, v)		((__typeof__(m))(((v) & (m)) >> __bf_shf(m)))
#define FIELD_PREP(m, v)	(((__typeof__(m))(v) << __bf_shf(m)) & (m))
#define FIELD_MAX(m)		((__typeof__(m))((m) >> __bf_shf(m)))
#define FIELD_FIT(m, v)		(!((u64)(v) & ~(u64)FIELD_MAX(m)))

static inline unsigned int hweight64(u64 w)
{
	return (unsigned int)__builtin_popcountll(w);
}

static inline unsigned int hweight32(u32 w)
{
	return (unsigned int)__builtin_popcount(w);
}

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline unsigned long __ffs64(u64 x)
{
	return (unsigned long)__builtin_ctzll(x);
}

static inline unsigned long __ffs(unsigned long x)
{
	return (unsigned long)__builtin_ctzl(x);
}

#define ilog2(n)		(fls64(n) - 1)
#define roundup_pow_of_two(n)	((n) <= 1 ? 1UL : 1UL << fls64((u64)(n) - 1))

/* Byte order */

static inline u16 __shim_swab16(u16 v)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
	       __builtin_bswap16(v) : v;
}

static inline u32 __shim_swab32(u32 v)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
	       __builtin_bswap32(v) : v;
}

static inline u64 __shim_swab64(u64 v)
{
	return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ?
	       __builtin_bswap64(v) : v;
}

#define cpu_to_be16(v)	((__be16)__shim_swab16(v))
#define cpu_to_be32(v)	((__be32)__shim_swab32(v))
#define cpu_to_be64(v)	((__be64)__shim_swab64(v))
#define be16_to_cpu(v)	__shim_swab16(v)
#define be32_to_cpu(v)	__shim_swab32(v)
#define be64_to_cpu(v)	__shim_swab64(v)

static inline u64 __shim_get_be(const void *p, unsigned int n)
{
	const u8 *b = p;
	u64 v = 0;

	while (n--)
		v = v << 8 | *b++;
	return v;
}

static inline void __shim_put_be(u64 v, void *p, unsigned int n)
{
	u8 *b = p;

	for (; n--; v >>= 8)
		b[n] = (u8)v;
}

#define get_unaligned_be16(p)	((u16)__shim_get_be(p, 2))
#define get_unaligned_be24(p)	((u32)__shim_get_be(p, 3))
#define get_unaligned_be32(p)	((u32)__shim_get_be(p, 4))
#define get_unaligned_be48(p)	((u64)__shim_get_be(p, 6))
#define get_unaligned_be64(p)	((u64)__shim_get_be(p, 8))
#define put_unaligned_be16(v, p) __shim_put_be(v, p, 2)
#define put_unaligned_be24(v, p) __shim_put_be(v, p, 3)
#define put_unaligned_be32(v, p) __shim_put_be(v, p, 4)
#define put_unaligned_be48(v, p) __shim_put_be(v, p, 6)
#define put_unaligned_be64(v, p) __shim_put_be(v, p, 8)

/* Bitmaps */

#define BITS_TO_LONGS(n)	DIV_ROUND_UP(n, BITS_PER_LONG)
#define BITS_TO_BYTES(n)	DIV_ROUND_UP(n, BITS_PER_BYTE)
#define DECLARE_BITMAP(name, bits) unsigned long name[BITS_TO_LONGS(bits)]
#define BIT_WORD(n)		((n) / BITS_PER_LONG)
#define BIT_MASK(n)		(1UL << ((n) % BITS_PER_LONG))

static inline void __set_bit(unsigned long nr, unsigned long *map)
{
	map[BIT_WORD(nr)] |= BIT_MASK(nr);
}

static inline void __clear_bit(unsigned long nr, unsigned long *map)
{
	map[BIT_WORD(nr)] &= ~BIT_MASK(nr);
}

static inline bool test_bit(unsigned long nr, const unsigned long *map)
{
	return map[BIT_WORD(nr)] & BIT_MASK(nr);
}

static inline bool __test_and_set_bit(unsigned long nr, unsigned long *map)
{
	bool old = test_bit(nr, map);

	__set_bit(nr, map);
	return old;
}

static inline bool __test_and_clear_bit(unsigned long nr, unsigned long *map)
{
	bool old = test_bit(nr, map);

	__clear_bit(nr, map);
	return old;
}

static inline void __assign_bit(unsigned long nr, unsigned long *map, bool on)
{
	if (on)
		__set_bit(nr, map);
	else
		__clear_bit(nr, map);
}

static inline void bitmap_zero(unsigned long *map, unsigned int nbits)
{
	memset(map, 0, BITS_TO_LONGS(nbits) * sizeof(long));
}

static inline void bitmap_fill(unsigned long *map, unsigned int nbits)
{
	memset(map, 0xff, BITS_TO_LONGS(nbits) * sizeof(long));
}

static inline void bitmap_copy(unsigned long *dst, const unsigned long *src,
			       unsigned int nbits)
{
	memcpy(dst, src, BITS_TO_LONGS(nbits) * sizeof(long));
}

static inline void bitmap_set(unsigned long *map, unsigned int start,
			      unsigned int n)
{
	while (n--)
		__set_bit(start++, map);
}

static inline void bitmap_clear(unsigned long *map, unsigned int start,
				unsigned int n)
{
	while (n--)
		__clear_bit(start++, map);
}

static inline unsigned long
__shim_find(const unsigned long *map, unsigned long size, unsigned long from,
	    bool want)
{
	while (from < size) {
		unsigned long w = map[BIT_WORD(from)];

		w = (want ? w : ~w) >> (from % BITS_PER_LONG);
		if (w)
			return min(from + __ffs(w), size);
		from = round_down(from, BITS_PER_LONG) + BITS_PER_LONG;
	}
	return size;
}

#define find_first_bit(map, size)	__shim_find(map, size, 0, true)
#define find_next_bit(map, size, from)	__shim_find(map, size, from, true)
#define find_first_zero_bit(map, size)	__shim_find(map, size, 0, false)
#define find_next_zero_bit(map, size, from) \
	__shim_find(map, size, from, false)

static inline unsigned long find_last_bit(const unsigned long *map,
					  unsigned long size)
{
	unsigned long n = size;

	while (n--)
		if (test_bit(n, map))
			return n;
	return size;
}

#define for_each_set_bit(bit, map, size)			\
	for ((bit) = find_first_bit(map, size); (bit) < (size);	\
	     (bit) = find_next_bit(map, size, (bit) + 1))

static inline unsigned int bitmap_weight(const unsigned long *map,
					 unsigned int nbits)
{
	unsigned int i, w = 0;

	for (i = 0; i < nbits; i++)
		w += test_bit(i, map);
	return w;
}

static inline bool bitmap_empty(const unsigned long *map, unsigned int nbits)
{
	return find_first_bit(map, nbits) >= nbits;
}

static inline bool bitmap_full(const unsigned long *map, unsigned int nbits)
{
	return find_first_zero_bit(map, nbits) >= nbits;
}

/* Lists */

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name)	{ &(name), &(name) }
#define LIST_HEAD(name)		struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *l)
{
	l->next = l;
	l->prev = l;
}

static inline void __list_add(struct list_head *n, struct list_head *prev,
			      struct list_head *next)
{
	next->prev = n;
	n->next = next;
	n->prev = prev;
	prev->next = n;
}

static inline void list_add(struct list_head *n, struct list_head *head)
{
	__list_add(n, head, head->next);
}

static inline void list_add_tail(struct list_head *n, struct list_head *head)
{
	__list_add(n, head->prev, head);
}

static inline void __list_del_entry(struct list_head *e)
{
	e->next->prev = e->prev;
	e->prev->next = e->next;
}

static inline void list_del(struct list_head *e)
{
	__list_del_entry(e);
	e->next = NULL;
	e->prev = NULL;
}

static inline void list_del_init(struct list_head *e)
{
	__list_del_entry(e);
	INIT_LIST_HEAD(e);
}

static inline void list_move_tail(struct list_head *e, struct list_head *head)
{
	__list_del_entry(e);
	list_add_tail(e, head);
}

static inline void list_move(struct list_head *e, struct list_head *head)
{
	__list_del_entry(e);
	list_add(e, head);
}

static inline bool list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline bool list_is_last(const struct list_head *e,
				const struct list_head *head)
{
	return e->next == head;
}

static inline bool list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}

static inline void __list_splice(const struct list_head *list,
				 struct list_head *prev, struct list_head *next)
{
	list->next->prev = prev;
	prev->next = list->next;
	list->prev->next = next;
	next->prev = list->prev;
}

static inline void list_splice_init(struct list_head *list,
				    struct list_head *head)
{
	if (list_empty(list))
		return;
	__list_splice(list, head, head->next);
	INIT_LIST_HEAD(list);
}

static inline void list_splice_tail_init(struct list_head *list,
					 struct list_head *head)
{
	if (list_empty(list))
		return;
	__list_splice(list, head->prev, head);
	INIT_LIST_HEAD(list);
}

#define list_entry(ptr, type, member)	container_of(ptr, type, member)
#define list_first_entry(head, type, member) \
	list_entry((head)->next, type, member)
#define list_last_entry(head, type, member) \
	list_entry((head)->prev, type, member)
#define list_first_entry_or_null(head, type, member) \
	(list_empty(head) ? NULL : list_first_entry(head, type, member))
#define list_last_entry_or_null(head, type, member) \
	(list_empty(head) ? NULL : list_last_entry(head, type, member))
#define list_next_entry(pos, member) \
	list_entry((pos)->member.next, __typeof__(*(pos)), member)
#define list_prev_entry(pos, member) \
	list_entry((pos)->member.prev, __typeof__(*(pos)), member)
#define list_entry_is_head(pos, head, member) (&(pos)->member == (head))
#define list_for_each_entry(pos, head, member)				\
	for ((pos) = list_first_entry(head, __typeof__(*(pos)), member); \
	     !list_entry_is_head(pos, head, member);			\
	     (pos) = list_next_entry(pos, member))
#define list_for_each_entry_reverse(pos, head, member)			\
	for ((pos) = list_last_entry(head, __typeof__(*(pos)), member);	\
	     !list_entry_is_head(pos, head, member);			\
	     (pos) = list_prev_entry(pos, member))
#define list_for_each_entry_safe(pos, n, head, member)			\
	for ((pos) = list_first_entry(head, __typeof__(*(pos)), member), \
	     (n) = list_next_entry(pos, member);			\
	     !list_entry_is_head(pos, head, member);			\
	     (pos) = (n), (n) = list_next_entry(n, member))

/* Lists with a head of one pointer */

struct hlist_node {
	struct hlist_node *next, **pprev;
};

struct hlist_head {
	struct hlist_node *first;
};

static inline void INIT_HLIST_HEAD(struct hlist_head *h)
{
	h->first = NULL;
}

static inline void INIT_HLIST_NODE(struct hlist_node *n)
{
	n->next = NULL;
	n->pprev = NULL;
}

static inline void hlist_add_head(struct hlist_node *n, struct hlist_head *h)
{
	n->next = h->first;
	n->pprev = &h->first;
	if (n->next)
		n->next->pprev = &n->next;
	h->first = n;
}

static inline void hlist_del_init(struct hlist_node *n)
{
	if (!n->pprev)
		return;
	*n->pprev = n->next;
	if (n->next)
		n->next->pprev = n->pprev;
	INIT_HLIST_NODE(n);
}

static inline bool hlist_unhashed(const struct hlist_node *n)
{
	return !n->pprev;
}

#define hlist_entry_safe(ptr, type, member) \
	((ptr) ? container_of(ptr, type, member) : NULL)
#define hlist_for_each_entry(pos, head, member)				\
	for ((pos) = hlist_entry_safe((head)->first, __typeof__(*(pos)), member); \
	     (pos);							\
	     (pos) = hlist_entry_safe((pos)->member.next,		\
				      __typeof__(*(pos)), member))
#define hlist_for_each_entry_safe(pos, n, head, member)			\
	for ((pos) = hlist_entry_safe((head)->first, __typeof__(*(pos)), member); \
	     (pos) && ((n) = (pos)->member.next, 1);			\
	     (pos) = hlist_entry_safe(n, __typeof__(*(pos)), member))

#endif /* UET_SHIM_USER_H */
