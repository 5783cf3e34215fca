// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of which mappings of a process can be a region: files, shared memory, the
 * stack, and mappings that change meanwhile.  Started by sock_api.sh, see uetsock.h
 * for what it needs.  Level: test.
 *
 * Environment: UET_DISK, a directory of a file system on a block device.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "uetlock.h"
#include "uetside.h"

#define PAGE	4096

TEST(map__that_is_not_there_or_cannot_be_written)
{
	int fd = us_endpoint(0, UET_PID_ANY, 0);
	int file = open("/proc/self/exe", O_RDONLY);
	uint8_t *mem = us_map(8 * PAGE);
	void *text;

	ASSERT_SYS(mprotect(mem + PAGE, PAGE, PROT_NONE));
	ASSERT_SYS(munmap(mem + 4 * PAGE, PAGE));
	EXPECT_FAILS(try_reg(fd, mem, 3 * PAGE), EFAULT);
	EXPECT(us_explains(fd, "cannot be written"));
	EXPECT_FAILS(try_reg(fd, mem + 2 * PAGE + 1, 6 * PAGE - 2), EFAULT);
	EXPECT(us_explains(fd, "nothing is mapped"));
	EXPECT_FAILS(try_reg(fd, mem + 4 * PAGE, 1), EFAULT);
	EXPECT_FAILS(try_reg(fd, (void *)(UINTPTR_MAX / 2), PAGE), EFAULT);
	EXPECT_FAILS(try_reg(fd, (void *)-(uintptr_t)(4 * PAGE), PAGE), EFAULT);
	EXPECT_FAILS(try_reg(fd, NULL, PAGE), EFAULT);
	text = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
	ASSERT(text != MAP_FAILED);
	EXPECT_FAILS(try_reg(fd, text, PAGE), EFAULT);
	EXPECT(us_explains(fd, "cannot be written"));
	EXPECT_EQ(try_reg(fd, mem + 2 * PAGE + 1, 2 * PAGE - 1), 0);
}

/* A copy of the file's page is pinned, not that. */
TEST(map__of_a_file_that_is_private_leaves_the_file_alone)
{
	int file = open("/proc/self/exe", O_RDONLY);
	uint8_t *mem, *other;
	struct side s;

	mem = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	other = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, file, 0);
	ASSERT(mem != MAP_FAILED && other != MAP_FAILED);
	s = side_of(mem, PAGE);
	get_now(&s, 0, PAGE);
	EXPECT(!memcmp(s.back, other, PAGE));
	put_now(&s, 0, 5, 100);
	EXPECT(us_matches(mem, 5, 0, 100));
	EXPECT(!memcmp(s.back, other, PAGE));
}

TEST(map__of_a_file_on_a_disk_works)
{
	const char *dir = getenv("UET_DISK");
	int fd = us_endpoint(0, UET_PID_ANY, 0), file;
	char path[256];
	uint8_t *mem;

	if (!dir || !*dir)
		SKIP("no file system on a block device");
	snprintf(path, sizeof(path), "%s/life", dir);
	file = open(path, O_RDWR | O_CREAT, 0600);
	ASSERT_SYS(file);
	ASSERT_SYS(ftruncate(file, 4 * PAGE));
	mem = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT(mem != MAP_FAILED);
	EXPECT_FAILS(try_reg(fd, mem, 4 * PAGE), EOPNOTSUPP);
	EXPECT(us_explains(fd, "of a file on a disk"));
	mem = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file,
		   0);
	ASSERT(mem != MAP_FAILED);
	EXPECT_EQ(try_reg(fd, mem, 4 * PAGE), 0);
}

/**
 * struct swap - a page whose mapping changes all the time
 * @mem: where
 * @file: a file on a disk
 * @is_over: the thread is to end
 */
struct swap {
	uint8_t *mem;
	int file;
	bool is_over;
};

/* Map a file and other memory at the same place, in turn. */
static void *swap_maps(void *arg)
{
	struct swap *s = arg;

	while (!__atomic_load_n(&s->is_over, __ATOMIC_RELAXED)) {
		mmap(s->mem, PAGE, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_FIXED, s->file, 0);
		mmap(s->mem, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	}
	return NULL;
}

/* However a thread times it, no region has a page of a file on a disk. */
TEST(map__that_is_replaced_while_it_is_registered_leaves_the_file_alone)
{
	const char *dir = getenv("UET_DISK");
	uint8_t *mem = us_map(PAGE), got[PAGE] = { 0 };
	struct side s = { .p = us_pair() };
	struct swap swap = { .mem = mem };
	pthread_t thread;
	char path[256];

	if (!dir || !*dir)
		SKIP("no file system on a block device");
	snprintf(path, sizeof(path), "%s/swap", dir);
	swap.file = open(path, O_RDWR | O_CREAT, 0600);
	ASSERT_SYS(swap.file);
	ASSERT_SYS(ftruncate(swap.file, PAGE));
	ASSERT_EQ(pthread_create(&thread, NULL, swap_maps, &swap), 0);
	for (int i = 0; i < 1000; i++) {
		if (us_try_reg(s.p.rx, mem, PAGE, ANY_ACCESS, &s.key))
			continue;
		put_now(&s, 0, i, PAGE);
		ASSERT_SYS(us_dereg(s.p.rx, s.key));
		ASSERT_EQ(pread(swap.file, got, PAGE, 0), PAGE);
		if (!us_is_filled(got, 0, PAGE))
			break;
	}
	__atomic_store_n(&swap.is_over, true, __ATOMIC_RELAXED);
	ASSERT_EQ(pthread_join(thread, NULL), 0);
	EXPECT(us_is_filled(got, 0, PAGE));
}

/* A process that has mapped shared memory sees the arriving bytes there. */
TEST(map__of_shared_memory_works)
{
	int file = memfd_create("life", 0);
	uint8_t *mem, *again, byte;
	struct side s;
	int go[2];
	pid_t pid;

	ASSERT_SYS(file);
	ASSERT_SYS(pipe(go));
	ASSERT_SYS(ftruncate(file, 4 * PAGE));
	mem = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	ASSERT(mem != MAP_FAILED);
	s = side_of(mem + 7, 4 * PAGE - 7);
	pid = CHILD(EXPECT_EQ(read(go[0], &byte, 1), 1);
		    EXPECT(us_matches(mem + 7, 6, 0, 3 * PAGE)));
	put_now(&s, 0, 6, 3 * PAGE);
	ASSERT_EQ(write(go[1], "x", 1), 1);
	harness_join(pid);
	again = mmap(NULL, 4 * PAGE, PROT_READ, MAP_SHARED, file, 0);
	ASSERT(again != MAP_FAILED);
	EXPECT(us_matches(again + 7, 6, 0, 3 * PAGE));
	ASSERT_EQ(pread(file, &byte, 1, 7 + PAGE), 1);
	EXPECT_EQ(byte, us_byte(6, PAGE));
	/* Pages that the file does not have any more are still the region's. */
	ASSERT_SYS(ftruncate(file, 0));
	put_now(&s, 0, 7, 3 * PAGE);
	get_now(&s, 0, 3 * PAGE);
	EXPECT(us_matches(s.back, 7, 0, 3 * PAGE));
}

TEST(map__of_the_stack_works)
{
	uint8_t mem[3 * PAGE];
	struct side s;

	memset(mem, 0xa5, sizeof(mem));
	s = side_of(mem + 1, 2 * PAGE);
	put_now(&s, 0, 8, 2 * PAGE);
	EXPECT(us_matches(mem + 1, 8, 0, 2 * PAGE));
	EXPECT(mem[0] == 0xa5 &&
	       us_is_filled(mem + 1 + 2 * PAGE, 0xa5, PAGE - 1));
}

HARNESS_MAIN()
