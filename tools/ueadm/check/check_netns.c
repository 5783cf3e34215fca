// SPDX-License-Identifier: GPL-2.0
/*
 * Where a netdev went that has left this namespace: into which of the namespaces that
 * have a name, or a process.
 */
#define _GNU_SOURCE	/* setns() */
#include <dirent.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

#define NETNS_NAMES	"/run/netns"

static bool has_netdev(const char *path, const char *dev)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is_there;

	if (fd < 0)
		return false;
	is_there = !setns(fd, CLONE_NEWNET) && if_nametoindex(dev);
	close(fd);
	return is_there;
}

/* Look through a folder. Return: whether @name is set. */
static bool search(const char *folder, const char *behind, const char *dev,
		   char *name, size_t size)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool is_found = false;
	char path[512];

	while (dir && !is_found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
		    (*behind && !strtoul(entry->d_name, NULL, 10)))
			continue;
		snprintf(path, sizeof(path), "%s/%s%s", folder, entry->d_name,
			 behind);
		is_found = has_netdev(path, dev);
		if (is_found)
			snprintf(name, size, "%s%.200s", *behind ? "of process " : "",
				 entry->d_name);
	}
	if (dir)
		closedir(dir);
	return is_found;
}

/**
 * uea_netns_of() - the namespace that has a netdev
 * @dev: name of a netdev that this namespace does not have
 * @name: filled in
 * @size: space there
 *
 * Return: false if none was found.
 */
bool uea_netns_of(const char *dev, char *name, size_t size)
{
	int self = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	bool is_found;

	if (self < 0)
		return false;
	is_found = search(NETNS_NAMES, "", dev, name, size) ||
		   search("/proc", "/ns/net", dev, name, size);
	/* Without the namespace all else would be wrong. */
	if (setns(self, CLONE_NEWNET))
		abort();
	close(self);
	return is_found;
}
