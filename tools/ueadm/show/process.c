// SPDX-License-Identifier: GPL-2.0
/*
 * Which process has the socket of an endpoint open: by its inode, from /proc, as ss(8)
 * does.  Processes that may not be looked at are left out.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ueadm.h"

static void read_comm(char *comm, size_t size, const char *pid)
{
	char path[64];
	FILE *f;

	*comm = 0;
	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	f = fopen(path, "re");
	if (f && fgets(comm, size, f))
		comm[strcspn(comm, "\n")] = 0;
	if (f)
		fclose(f);
}

/* The endpoint of a link in /proc/PID/fd; NULL if it is none. */
static struct json_object *endpoint_of(struct json_object *by_inode,
				       const char *path, const char *fd)
{
	char link[300], target[64];
	struct json_object *ep;
	ssize_t size;

	snprintf(link, sizeof(link), "%.40s/%.250s", path, fd);
	size = readlink(link, target, sizeof(target) - 1);
	if (size < 0)
		return NULL;
	target[size] = 0;
	return json_object_object_get_ex(by_inode, target, &ep) ? ep : NULL;
}

static void find_sockets(struct json_object *by_inode, const char *pid)
{
	struct dirent *entry;
	struct json_object *ep;
	char path[64], comm[32];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.16s/fd", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		ep = endpoint_of(by_inode, path, entry->d_name);
		/* Of a socket that was passed on, the first process. */
		if (!ep || uea_has(ep, "process"))
			continue;
		read_comm(comm, sizeof(comm), pid);
		json_object_object_add(ep, "process",
				       json_object_new_int64(atol(pid)));
		json_object_object_add(ep, "command",
				       json_object_new_string(comm));
	}
	if (dir)
		closedir(dir);
}

/**
 * uea_find_processes() - add the processes to endpoints
 * @eps: JSON array of endpoints; gets "process", a number, and "command", its name
 */
void uea_find_processes(struct json_object *eps)
{
	struct json_object *by_inode = json_object_new_object(), *ep;
	struct dirent *entry;
	char key[48];
	DIR *dir;
	size_t i;

	for (i = 0; i < json_object_array_length(eps); i++) {
		ep = json_object_array_get_idx(eps, i);
		snprintf(key, sizeof(key), "socket:[%s]",
			 uea_text_of(ep, "inode"));
		json_object_object_add(by_inode, key, json_object_get(ep));
	}
	dir = i ? opendir("/proc") : NULL;
	while (dir && (entry = readdir(dir))) {
		if (isdigit(*entry->d_name))
			find_sockets(by_inode, entry->d_name);
	}
	if (dir)
		closedir(dir);
	json_object_put(by_inode);
}

/**
 * uea_add_processes() - uea_find_processes() before endpoints are shown
 * @ctx: not used
 * @object: not used
 * @eps: JSON array of endpoints
 *
 * Return: UEA_OK.
 */
int uea_add_processes(struct uea_ctx *ctx, const struct uea_object *object,
		      struct json_object *eps)
{
	(void)ctx;
	(void)object;
	uea_find_processes(eps);
	return UEA_OK;
}
