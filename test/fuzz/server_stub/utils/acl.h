/* Empty: what it would declare is in the postgres.h of server_stub. */
