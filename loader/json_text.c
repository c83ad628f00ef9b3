#include "json_text.h"

#include <stdlib.h>
#include <string.h>

static bool
put(void *context, const char *bytes, size_t length)
{
	JsonText *text = context;

	return fwrite(bytes, 1, length, text->stream) == length;
}

bool
json_text_open(JsonText *text)
{
	text->text = NULL;
	text->stream = open_memstream(&text->text, &text->length);
	if (text->stream == NULL)
		return false;
	json_encoder_init(&text->encoder, text->buffer, sizeof(text->buffer), put, text);
	return true;
}

char *
json_text_close(JsonText *text)
{
	bool whole = json_encoder_flush(&text->encoder);

	if (fclose(text->stream) == 0 && whole)
		return text->text;
	free(text->text);
	return NULL;
}

void
json_text_key(JsonText *text, const char *before, const char *key)
{
	json_encode_literal(&text->encoder, before);
	json_encode_string(&text->encoder, key, strlen(key));
	json_encode_char(&text->encoder, ':');
}

void
json_text_string(JsonText *text, const char *string)
{
	size_t length = strlen(string);
	char *ascii;

	if (json_encode_is_utf8(string, length))
	{
		json_encode_string(&text->encoder, string, length);
		return;
	}
	ascii = strdup(string);
	for (char *byte = ascii; byte != NULL && *byte != '\0'; byte++)
		if ((unsigned char) *byte >= 0x80)
			*byte = '?';
	json_encode_string(&text->encoder, ascii == NULL ? "?" : ascii, ascii == NULL ? 1 : length);
	free(ascii);
}
