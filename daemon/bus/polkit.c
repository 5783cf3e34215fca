// SPDX-License-Identifier: GPL-2.0
/*
 * CheckAuthorization of org.freedesktop.PolicyKit1, asynchronously.  A query
 * without an answer, because polkit is missing or the time-out expired, is
 * denied.  Level: tool.
 */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "polkit.h"

#define ALLOW_INTERACTION	1	/* it may ask the user for a password */
#define ANSWER_US		(120 * 1000000ULL)	/* time to type the password */

/**
 * struct question - a pending query to polkit
 * @call: message to be authorised
 * @action: action that the sender requests
 * @done: called with the answer
 * @data: for @done
 */
struct question {
	sd_bus_message *call;
	const char *action;
	uetd_polkit_done_t done;
	void *data;
};

static void free_question(void *data)
{
	struct question *question = data;

	sd_bus_message_unref(question->call);
	free(question);
}

/* Reason of polkit's denial. */
static void judge(sd_bus_message *reply, const char *action,
		  sd_bus_error *error)
{
	const sd_bus_error *failure = sd_bus_message_get_error(reply);
	int is_authorized, is_challenge;

	if (failure)
		sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED,
				  "polkit cannot be asked about %s, so only root may do that: %s",
				  action, failure->message ? failure->message :
				  failure->name);
	else if (sd_bus_message_enter_container(reply, 'r', "bba{ss}") < 0 ||
		 sd_bus_message_read(reply, "bb", &is_authorized,
				     &is_challenge) < 0)
		sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED,
				  "the answer of polkit about %s is not understood",
				  action);
	else if (!is_authorized && is_challenge)
		sd_bus_error_setf(error,
				  SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED,
				  "polkit needs an authentication for %s",
				  action);
	else if (!is_authorized)
		sd_bus_error_setf(error, SD_BUS_ERROR_ACCESS_DENIED,
				  "polkit does not authorize %s", action);
}

static int on_answer(sd_bus_message *reply, void *data, sd_bus_error *unused)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	struct question *question = data;
	int status;

	(void)unused;
	judge(reply, question->action, &error);
	status = question->done(question->call, question->data, &error);
	if (sd_bus_error_is_set(&error))
		sd_bus_reply_method_error(question->call, &error);
	else if (status < 0)
		sd_bus_reply_method_errno(question->call, status, NULL);
	sd_bus_error_free(&error);
	return 1;
}

static int make_request(sd_bus_message **request, sd_bus_message *call,
			const char *action)
{
	bool is_interactive =
		sd_bus_message_get_allow_interactive_authorization(call) > 0;
	int status;

	status = sd_bus_message_new_method_call(
			sd_bus_message_get_bus(call), request,
			"org.freedesktop.PolicyKit1",
			"/org/freedesktop/PolicyKit1/Authority",
			"org.freedesktop.PolicyKit1.Authority",
			"CheckAuthorization");
	if (status >= 0)
		status = sd_bus_message_append(*request, "(sa{sv})sa{ss}us",
				"system-bus-name", 1, "name", "s",
				sd_bus_message_get_sender(call), action, 0,
				is_interactive ? ALLOW_INTERACTION : 0, "");
	return status;
}

/**
 * uetd_polkit_ask() - ask polkit
 * @call: message of the sender; referenced until the answer arrives
 * @action: requested action; must stay valid
 * @done: called once with the answer; not called if the bus is closed before
 * @data: for @done
 *
 * Return: 1: the query was sent; a negative errno.
 */
int uetd_polkit_ask(sd_bus_message *call, const char *action,
		    uetd_polkit_done_t done, void *data)
{
	struct question *question = uetd_grow(NULL, 0, sizeof(*question));
	sd_bus_message *request = NULL;
	sd_bus_slot *slot = NULL;
	int status;

	*question = (struct question){
		.call = sd_bus_message_ref(call), .action = action,
		.done = done, .data = data,
	};
	status = make_request(&request, call, action);
	if (status >= 0)
		status = sd_bus_call_async(sd_bus_message_get_bus(call), &slot,
					   request, on_answer, question,
					   ANSWER_US);
	sd_bus_message_unref(request);
	if (status < 0) {
		free_question(question);
		return status;
	}
	sd_bus_slot_set_destroy_callback(slot, free_question);
	sd_bus_slot_set_floating(slot, true);
	sd_bus_slot_unref(slot);
	return 1;
}
