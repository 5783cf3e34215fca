// SPDX-License-Identifier: GPL-2.0
/*
 * A rank of "ueadm job run" that executes the collective operations of libuet and compares
 * each result with one that it calculates itself:
 *
 *	libuet_coll all		rank 0 prints the number of right results
 *	libuet_coll dead	rank 2 ends; each other one prints how it notices that
 *	libuet_coll silent	the same, if all wait for rank 2
 *	libuet_coll uneven	rank 1 has another count; each prints how it notices that
 *
 * Level: test.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uet.h>

static struct uet *u;
static uint32_t rank, size, results;

static void must(int ret, const char *what)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "rank %u: %s: %s\n", rank, what, uet_strerror(u));
	exit(1);
}

static void must_be(bool is_right, const char *what, size_t count)
{
	results++;
	if (is_right)
		return;
	fprintf(stderr, "rank %u: %s of %zu values: the result is wrong\n", rank, what,
		count);
	exit(1);
}

/* The value of a rank at a place.  Sums of all ranks are exact in each type. */
static uint32_t value(uint32_t of, size_t k)
{
	return (of + 1) * 3 + k % 1000;
}

/* The same for products. */
static uint32_t factor(uint32_t of, size_t k)
{
	return 1 + value(of, k) % 3;
}

/*
 * All operations with values of one type.  The memory has one block for each rank, and a
 * value behind them that does not change.
 */
#define FOR_TYPE(type, dt)							\
static void fill_##type(type *v, uint32_t of, size_t count)			\
{										\
	size_t k;								\
										\
	for (k = 0; k < count; k++)						\
		v[k] = value(of, k);						\
	v[count] = 99;								\
}										\
										\
/* @what: SUM, MAX or PROD of all ranks; else the values of rank @of */		\
static void compare_##type(const type *v, int what, uint32_t of, size_t from, size_t count, \
			   const char *name)					\
{										\
	bool is_right = true;							\
	uint32_t i;								\
	size_t k;								\
	type all;								\
										\
	for (k = 0; k < count; k++) {						\
		all = what == UET_AMO_PROD;					\
		for (i = 0; i < size; i++)					\
			all = what == UET_AMO_SUM ? all + value(i, from + k) :	\
			      what == UET_AMO_PROD ? all * factor(i, from + k) : \
			      what == UET_AMO_MAX ? value(i, from + k) :	\
			      value(of, from + k);				\
		is_right = is_right && v[k] == all;				\
	}									\
	must_be(is_right, name, count);						\
}										\
										\
static void reduce_##type(type *from, type *to, size_t count, uint32_t root)	\
{										\
	size_t k;								\
										\
	fill_##type(from, rank, count);						\
	to[count] = 77;								\
	must(uet_reduce(u, from, to, count, dt, UET_AMO_SUM, root, -1), "uet_reduce"); \
	if (rank == root)							\
		compare_##type(to, UET_AMO_SUM, 0, 0, count, "uet_reduce");	\
	compare_##type(from, -1, rank, 0, count, "uet_reduce: contribution");	\
	must(uet_allreduce(u, from, to, count, dt, UET_AMO_MAX, -1), "uet_allreduce"); \
	compare_##type(to, UET_AMO_MAX, 0, 0, count, "uet_allreduce, other memory"); \
	must_be(to[count] == 77, "uet_allreduce: memory behind it", count);	\
	for (k = 0; k < count; k++)						\
		from[k] = factor(rank, k);					\
	must(uet_allreduce(u, from, from, count, dt, UET_AMO_PROD, -1), "uet_allreduce"); \
	compare_##type(from, UET_AMO_PROD, 0, 0, count, "uet_allreduce in place"); \
	must_be(from[count] == 99, "uet_allreduce: memory behind it", count);	\
}										\
										\
static void move_##type(type *from, type *to, size_t count, uint32_t root)	\
{										\
	uint32_t i;								\
										\
	fill_##type(from, rank, count * size);					\
	must(uet_broadcast(u, from, count * sizeof(type), root, -1), "uet_broadcast"); \
	compare_##type(from, -1, root, 0, count, "uet_broadcast");		\
	fill_##type(from, rank, count * size);					\
	must(uet_allgather(u, from, to, count * sizeof(type), -1), "uet_allgather"); \
	for (i = 0; i < size; i++)						\
		compare_##type(to + i * count, -1, i, 0, count, "uet_allgather"); \
	must(uet_alltoall(u, from, to, count * sizeof(type), -1), "uet_alltoall"); \
	for (i = 0; i < size; i++)						\
		compare_##type(to + i * count, -1, i, rank * count, count,	\
			       "uet_alltoall");					\
	must(uet_alltoall(u, from, from, count * sizeof(type), -1), "uet_alltoall"); \
	for (i = 0; i < size; i++)						\
		compare_##type(from + i * count, -1, i, rank * count, count,	\
			       "uet_alltoall in place");			\
	must_be(from[count * size] == 99, "uet_alltoall: memory behind it", count); \
}										\
										\
static void try_##type(size_t count)						\
{										\
	type *from = malloc((count * size + 1) * sizeof(type));			\
	type *to = malloc((count * size + 1) * sizeof(type));			\
	uint32_t root;								\
										\
	for (root = 0; root < size; root += size - 1 ? size - 1 : 1) {		\
		reduce_##type(from, to, count, root);				\
		move_##type(from, to, count, root);				\
	}									\
	free(from);								\
	free(to);								\
}

FOR_TYPE(int32_t, UET_DT_INT32)
FOR_TYPE(uint32_t, UET_DT_UINT32)
FOR_TYPE(int64_t, UET_DT_INT64)
FOR_TYPE(uint64_t, UET_DT_UINT64)
FOR_TYPE(float, UET_DT_FLOAT)
FOR_TYPE(double, UET_DT_DOUBLE)

/* An operation that has not ended goes on, and no other one begins. */
static void interrupt(void)
{
	uint64_t mine = rank, all;

	must(uet_barrier(u, -1), "uet_barrier");
	if (rank)
		poll(NULL, 0, 100);
	while (uet_allreduce(u, &mine, &all, 1, UET_DT_UINT64, UET_AMO_SUM, rank ? -1 : 20)) {
		must_be(errno == ETIMEDOUT, "uet_allreduce in time", 1);
		must_be(uet_barrier(u, 0) == -1 && errno == EBUSY, "a barrier within", 1);
	}
	must_be(all == size * (size - 1) / 2, "uet_allreduce after a time-out", 1);
}

static void all(size_t longest)
{
	const size_t counts[] = { 0, 1, 3, 1000, 4097, 70001, longest };
	size_t i;

	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (counts[i] <= longest)
			try_double(counts[i]);
	try_int32_t(13);
	try_uint32_t(9001);
	try_int64_t(13);
	try_uint64_t(9001);
	try_float(1002);
	interrupt();
	must(uet_barrier(u, -1), "uet_barrier");
	if (!rank)
		printf("%u ranks: %u results are right\n", size, results);
}

/* Print why @ret is a failure, and that of the next operation. */
static void notice(int ret)
{
	int error = errno;

	if (!ret)
		printf("rank %u: no failure\n", rank);
	else
		printf("rank %u: %s: %s\n", rank, strerrorname_np(error), uet_strerror(u));
	if (!uet_barrier(u, -1) || errno != error)
		printf("rank %u: a barrier afterwards\n", rank);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "all";
	char why[UET_ERROR_SIZE];
	uint64_t v[2] = { 0, 0 };

	u = uet_open(NULL, why);
	if (!u) {
		fprintf(stderr, "uet_open: %s\n", why);
		return 1;
	}
	rank = uet_rank(u);
	size = uet_size(u);
	if (!strcmp(what, "all")) {
		all(argc > 2 ? strtoul(argv[2], NULL, 0) : 70001);
		must(uet_finish(u), "uet_finish");
		uet_close(u);
		return 0;
	}
	must(uet_barrier(u, -1), "uet_barrier");
	if (!strcmp(what, "uneven"))
		notice(uet_allreduce(u, v, v, rank == 1 ? 2 : 1, UET_DT_UINT64, UET_AMO_SUM, -1));
	else if (rank == 2)
		return 0;
	else if (!strcmp(what, "dead"))
		notice(uet_allreduce(u, v, v, 1, UET_DT_UINT64, UET_AMO_SUM, -1));
	else
		notice(uet_broadcast(u, v, sizeof(v), 2, -1));
	/* The others still have to be told. */
	poll(NULL, 0, 3000);
	uet_close(u);
	return 0;
}
