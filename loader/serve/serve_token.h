/*
 * serve_token.h - the bearer token that clients must show (RFC 6750).
 */
#ifndef TRANSFERBENCH_SERVE_TOKEN_H
#define TRANSFERBENCH_SERVE_TOKEN_H

#include <stdbool.h>

#define SERVE_TOKEN_DIGEST_SIZE 32

/* Only its SHA-256 is kept: what is compared has one length, whatever a client sends. */
typedef struct ServeToken
{
	unsigned char digest[SERVE_TOKEN_DIGEST_SIZE];
} ServeToken;

/* False when the hash cannot be made. */
extern bool serve_token_set(ServeToken *token, const char *text);
/* Whether an Authorization field (may be NULL) has the token; takes as long for one wrong token as
 * for another of its length. */
extern bool serve_token_fits(const ServeToken *token, const char *authorization);

#endif
