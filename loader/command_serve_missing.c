#include "command_serve.h"
#include "message.h"

#include <stdlib.h>

int
command_serve(int argc, char **argv)
{
	(void) argc;
	(void) argv;
	message_error("this transferbench was built without libmicrohttpd and cannot serve: install "
				  "libmicrohttpd-dev and zlib1g-dev, and build it again");
	return EXIT_FAILURE;
}
