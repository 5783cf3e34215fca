// SPDX-License-Identifier: GPL-2.0
/*
 * A double of polkit for a service on the system bus: it answers CheckAuthorization,
 * by a file that is read for each question, of lines "ACTION UID ANSWER" with the
 * answers yes and challenge; what is in no line is no.  Each question is printed,
 * "ACTION UID".  Like the real one it lets nobody but root and the owner of an action,
 * who is named on the command line, ask about others.  Level: test.
 *
 * usage: polkit_double FILE OWNER-UID		until killed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>

#define NAME	"org.freedesktop.PolicyKit1"

struct authority {
	const char *path;
	uid_t owner;
};

static int uid_of(sd_bus *bus, const char *name, uid_t *uid)
{
	sd_bus_creds *creds = NULL;
	int status = sd_bus_get_name_creds(bus, name, SD_BUS_CREDS_EUID,
					   &creds);

	if (status >= 0)
		status = sd_bus_creds_get_euid(creds, uid);
	sd_bus_creds_unref(creds);
	return status;
}

static void look_up(const struct authority *authority, const char *action,
		    uid_t uid, int *is_authorized, int *is_challenge)
{
	char line[256], one[128], answer[32];
	unsigned int who;
	FILE *f = fopen(authority->path, "r");

	*is_authorized = *is_challenge = 0;
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%127s %u %31s", one, &who, answer) != 3 ||
		    strcmp(one, action) || who != uid)
			continue;
		*is_authorized = !strcmp(answer, "yes");
		*is_challenge = !strcmp(answer, "challenge");
	}
	if (f)
		fclose(f);
}

static int on_question(sd_bus_message *call, void *data, sd_bus_error *error)
{
	int status, is_authorized, is_challenge;
	const struct authority *authority = data;
	const char *kind, *key, *name, *action;
	sd_bus *bus = sd_bus_message_get_bus(call);
	uid_t asker, uid;

	status = sd_bus_message_read(call, "(sa{sv})s", &kind, 1, &key, "s",
				     &name, &action);
	if (status < 0)
		return status;
	if (strcmp(kind, "system-bus-name") || strcmp(key, "name"))
		return sd_bus_error_set(error, NAME ".Error.Failed",
					"unknown subject");
	if (uid_of(bus, sd_bus_message_get_sender(call), &asker) < 0 ||
	    uid_of(bus, name, &uid) < 0)
		return sd_bus_error_set(error, NAME ".Error.Failed",
					"nobody has that name");
	if (asker && asker != authority->owner && asker != uid)
		return sd_bus_error_set(error, NAME ".Error.NotAuthorized",
					"not one who may ask about others");
	look_up(authority, action, uid, &is_authorized, &is_challenge);
	printf("%s %u\n", action, uid);
	return sd_bus_reply_method_return(call, "(bba{ss})", is_authorized,
					  is_challenge, 0);
}

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("CheckAuthorization", "(sa{sv})sa{ss}us", "(bba{ss})",
		      on_question, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END
};

int main(int argc, char **argv)
{
	struct authority authority;
	sd_bus *bus = NULL;
	int status;

	if (argc != 3) {
		fputs("usage: polkit_double FILE OWNER-UID\n", stderr);
		return 2;
	}
	authority.path = argv[1];
	authority.owner = strtoul(argv[2], NULL, 10);
	setvbuf(stdout, NULL, _IOLBF, 0);
	status = sd_bus_open_system(&bus);
	if (status >= 0)
		status = sd_bus_add_object_vtable(bus, NULL,
				"/org/freedesktop/PolicyKit1/Authority",
				NAME ".Authority", vtable, &authority);
	if (status >= 0)
		status = sd_bus_request_name(bus, NAME, 0);
	if (status >= 0)
		puts("ready");
	while (status >= 0) {
		status = sd_bus_process(bus, NULL);
		if (!status)
			status = sd_bus_wait(bus, UINT64_MAX);
	}
	fprintf(stderr, "polkit_double: %s\n", strerror(-status));
	return 1;
}
