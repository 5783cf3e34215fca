// SPDX-License-Identifier: GPL-2.0
/*
 * Namespaces, procfs and the start of the module with each of the allocations they
 * reach failing once.  A failed creation leaves nothing behind, not even in part, and
 * can be repeated afterwards.  failnth.h has the sweep; started by alloc_fail.sh, for
 * module__is_loaded with the module unloaded and its file in UET_MODULE.  Level: test.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/syscall.h>

#include "failnth.h"
#include "uetsock.h"

static int old_ns, dir, file;

static int call_unshare(void)
{
	return unshare(CLONE_NEWNET) ? -errno : 0;
}

static void check_unshared(int ret)
{
	if (ret)
		return;
	EXPECT_EQ(access("/proc/thread-self/net/uet/features", R_OK), 0);
}

static void undo_unshare(void)
{
	ASSERT_SYS(setns(old_ns, CLONE_NEWNET));
}

TEST(netns__is_made_or_refused_without_memory)
{
	/* The state of a module that was loaded late is made last. */
	static const struct fail_op op = {
		.name = "unshare", .call = call_unshare,
		.check = check_unshared, .undo = undo_unshare, .tail = 40,
	};

	old_ns = open("/proc/thread-self/ns/net", O_RDONLY);
	ASSERT_SYS(old_ns);
	fail_open();
	fail_sweep(&op);
}

static char features[1024];

static int call_features(void)
{
	int fd = openat(dir, "uet/features", O_RDONLY);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, features, sizeof(features));
	if (len < 0)
		len = -errno;
	close(fd);
	return len;
}

static void check_features(int ret)
{
	if (ret >= 0)
		EXPECT(!strncmp(features, "version:", 8));
}

TEST(proc__features_survives_no_memory)
{
	static const struct fail_op op = {
		.name = "features", .call = call_features,
		.check = check_features,
	};

	dir = open("/proc/self/net", O_RDONLY | O_DIRECTORY);
	ASSERT_SYS(dir);
	fail_open();
	fail_sweep(&op);
}

static void prepare_module(void)
{
	file = open(getenv("UET_MODULE"), O_RDONLY | O_CLOEXEC);
	ASSERT_SYS(file);
}

static int call_module(void)
{
	return syscall(SYS_finit_module, file, "", 0) ? -errno : 0;
}

/*
 * The kernel reads and links the file, and makes its trace events, before it
 * looks at parameters.  It warns of itself when there is no memory for those.
 */
static int call_module_wrongly(void)
{
	return syscall(SYS_finit_module, file, "family=none", 0) ? -errno : 0;
}

static void check_module(int ret)
{
	EXPECT_EQ(access("/sys/module/uet", F_OK), ret ? -1 : 0);
	EXPECT_EQ(access("/proc/net/uet", F_OK), ret ? -1 : 0);
	if (ret)
		EXPECT_FAILS(socket(AF_UET, SOCK_RDM, 0), EAFNOSUPPORT);
}

static void undo_module(void)
{
	close(file);
	WAIT_FOR(!syscall(SYS_delete_module, "uet", O_NONBLOCK) ||
		 errno == ENOENT);
}

TEST(module__is_loaded_or_refused_without_memory)
{
	static const struct fail_op op = {
		.name = "finit_module", .prepare = prepare_module,
		.before = call_module_wrongly, .call = call_module,
		.check = check_module, .undo = undo_module,
	};

	if (!getenv("UET_MODULE"))
		SKIP("UET_MODULE does not name the module");
	fail_open();
	fail_sweep(&op);
}

HARNESS_MAIN()
