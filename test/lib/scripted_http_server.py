#!/usr/bin/env python3
"""An HTTP server that misbehaves on request, byte by byte.

Usage: scripted_http_server.py [--files DIRECTORY] [--tls CERTIFICATE KEY]

Binds 127.0.0.1 on a free port and says on standard output, in this order:

    listening on PORT
    unanswered on PORT
    eager on PORT

The second port belongs to a socket whose backlog is full: a connection to it
is neither accepted nor refused. On the third, three good rows are sent before
anything of a request is read. The server ends when its standard input
closes, so that nothing is left behind when the test that started it dies.

What is sent is decided by the path alone; BEHAVIOURS, at the end, is the
table of them. Parameters are taken from the query as bytes (percent-decoded,
'+' stands for itself), so that a body may hold any byte at all. All sleeping
is bounded by the client: when it hangs up, its thread ends.
"""

import argparse
import email.utils
import gzip
import hashlib
import http.client
import json
import os
import select
import socket
import socketserver
import ssl
import struct
import sys
import threading
import time
import urllib.parse
import zlib

HEAD_LIMIT = 1 << 20
PIECE = 1 << 16
SHOWN_BYTES = 1000
GOOD_ROWS = b'[{"id":1,"x":1.5},{"id":2,"x":2.5},{"id":3,"x":3.5}]'
HTML = b'<!DOCTYPE html><html><body><h1>It did not work</h1></body></html>'


class ClientGone(Exception):
    """The client hung up; there is nobody to answer."""


class Request:
    """One request: method, target, headers and query parameters."""

    def __init__(self, head, connection_id, sequence):
        lines = head.split(b'\r\n')
        self.line = lines[0].decode('latin-1')
        self.method, _, rest = self.line.partition(' ')
        self.target = rest.rpartition(' ')[0]
        self.headers = {}
        for line in lines[1:]:
            name, _, value = line.decode('latin-1').partition(':')
            self.headers[name.strip().lower()] = value.strip()
        self.connection_id = connection_id
        self.sequence = sequence
        self.body = b''
        path, _, query = self.target.partition('?')
        self.path = urllib.parse.unquote(path)
        self.parameters = {}
        for pair in query.split('&'):
            name, _, value = pair.partition('=')
            self.parameters[name] = urllib.parse.unquote_to_bytes(value)

    def raw(self, name, default=b''):
        return self.parameters.get(name, default)

    def text(self, name, default=''):
        return self.parameters[name].decode('latin-1') if name in self.parameters else default

    def number(self, name, default=None):
        return int(self.parameters[name]) if name in self.parameters else default

    def flag(self, name):
        return self.text(name, '0') not in ('', '0')

    def as_log_entry(self):
        return {'line': self.line, 'headers': self.headers,
                'connection': self.connection_id, 'sequence': self.sequence}


class Saved:
    """What POSTs brought: every body, and the rows, once for each Idempotency-Key."""

    def __init__(self):
        self.lock = threading.Lock()
        self.forget()

    def forget(self):
        with self.lock:
            self.bodies = []
            self.digest_of_key = {}
            self.rows = 0

    def take(self, key, body, count):
        """Takes a body of so many rows; a known key adds none. False: same key, other body."""
        digest = hashlib.sha256(body).hexdigest()
        with self.lock:
            is_repeat = key is not None and key in self.digest_of_key
            if is_repeat and self.digest_of_key[key] != digest:
                return False
            self.digest_of_key[key] = digest
            self.bodies.append({'key': key, 'rows': count, 'bytes': len(body), 'sha256': digest,
                                'start': body[:SHOWN_BYTES].decode('latin-1'),
                                'repeat': is_repeat})
            self.rows += 0 if is_repeat else count
            return True

    def as_json(self):
        with self.lock:
            return json.dumps({'rows': self.rows, 'requests': len(self.bodies),
                               'bodies': self.bodies}).encode()


class Shared:
    """What all connections have in common: the request log, counters and what was saved."""

    def __init__(self):
        self.lock = threading.Lock()
        self.log = []
        self.tries = {}
        self.connections = 0
        self.saved = Saved()

    def new_connection(self):
        with self.lock:
            self.connections += 1
            return self.connections

    def record(self, request):
        with self.lock:
            self.log.append(request.as_log_entry())

    def count_try(self, key):
        with self.lock:
            self.tries[key] = self.tries.get(key, 0) + 1
            return self.tries[key]


class Connection(socketserver.BaseRequestHandler):
    """Reads requests off one connection and hands each to its behaviour."""

    def setup(self):
        self.id = self.server.shared.new_connection()
        self.buffer = b''
        self.keep_alive = True
        self.close_was_asked = False

    def handle(self):
        sequence = 0
        try:
            if self.server.tls is not None:
                self.request.settimeout(30)
                self.request = self.server.tls.wrap_socket(self.request, server_side=True)
            # a small piece must leave at once
            self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.request.settimeout(600)
            while self.keep_alive:
                sequence += 1
                self.answer(self.read_request(sequence))
        except (ClientGone, OSError):
            pass

    def read_request(self, sequence):
        while b'\r\n\r\n' not in self.buffer and len(self.buffer) < HEAD_LIMIT:
            self.fill()
        head, _, self.buffer = self.buffer.partition(b'\r\n\r\n')
        request = Request(head, self.id, sequence)
        if request.headers.get('connection', '').lower() == 'close':
            self.keep_alive = False
            self.close_was_asked = True
        return request

    def fill(self):
        piece = self.request.recv(PIECE)
        if not piece:
            raise ClientGone
        self.buffer += piece

    def read_body(self, request):
        """The body of a request that has a length."""
        left = int(request.headers.get('content-length', '0'))
        pieces = []
        while left > 0:
            if not self.buffer:
                self.fill()
            pieces.append(self.buffer[:left])
            self.buffer = self.buffer[left:]
            left -= len(pieces[-1])
        request.body = b''.join(pieces)

    def answer(self, request):
        behaviour = find_behaviour(request.path)
        if request.path not in UNLOGGED_PATHS:
            self.server.shared.record(request)
        try:
            if behaviour not in BODY_READERS:
                self.read_body(request)
            behaviour(self, request)
        except (ValueError, KeyError, FileNotFoundError) as problem:
            # the test asked for nonsense: say so rather than die silently
            self.send_answer(str(problem).encode(), status='599 Bad test', type='text/plain')

    # What behaviours are made of

    def send(self, data):
        self.request.sendall(data)

    def send_head(self, status='200 OK', length=None, type='application/json', headers=(),
                  version='HTTP/1.1'):
        """The status line and headers; length None leaves Content-Length out."""
        lines = ['%s %s' % (version, status)]
        if type:
            lines.append('Content-Type: ' + type)
        if length is not None:
            lines.append('Content-Length: %d' % length)
        lines.extend(headers)
        if self.close_was_asked:
            lines.append('Connection: close')
        self.send(('\r\n'.join(lines) + '\r\n\r\n').encode('latin-1'))

    def send_answer(self, body, status='200 OK', type='application/json', headers=()):
        """A whole, well-formed answer."""
        self.send_head(status, len(body), type, headers)
        self.send(body)

    def send_chunk(self, data, extension=b''):
        if data:
            self.send(b'%x%s\r\n%s\r\n' % (len(data), extension, data))

    def send_last_chunk(self):
        self.send(b'0\r\n\r\n')

    def close_unasked(self):
        """Closes after this answer, without having said so."""
        self.keep_alive = False

    def close_at_once(self):
        """Closes without a FIN first: with bytes unread, that is a reset."""
        self.request.close()
        raise ClientGone

    def wait_for_client(self):
        """Sends nothing more until the client hangs up."""
        while self.request.recv(PIECE):
            pass
        raise ClientGone

    def pause(self, seconds):
        """Sleeps, but no longer than the client is there."""
        if seconds <= 0:
            return
        readable, _, _ = select.select([self.request], [], [], seconds)
        if readable:
            self.fill()

    def reset(self):
        """Ends the connection with RST instead of FIN."""
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.request.close()
        raise ClientGone


# --- whole bodies ------------------------------------------------------------

def encode_body(request, body):
    """Applies encoding= (a Content-Encoding name list, '+' between) to a body."""
    headers = []
    encoding = request.text('encoding')
    if encoding:
        headers.append('Content-Encoding: ' + encoding.replace('+', ', '))
        for name in encoding.split('+'):
            if name.lower() in ('gzip', 'x-gzip'):
                body = gzip.compress(body, 6, mtime=0)
            elif name.lower() == 'deflate':
                body = zlib.compress(body)
            # a name we do not know is only claimed
    return body, headers


def behave_json(connection, request):
    """body= as it stands, with status=, type=, header= and encoding=."""
    body, headers = encode_body(request, request.raw('body', GOOD_ROWS))
    if 'header' in request.parameters:
        headers.append(request.text('header'))
    connection.send_answer(body, '%d Answer' % request.number('status', 200),
                           request.text('type', 'application/json'), headers)


def behave_file(connection, request):
    """A file of the directory given by --files; type= and encoding= as for /json."""
    directory = connection.server.files
    name = request.path[len('/file/'):]
    if directory is None or '/' in name or name.startswith('.'):
        raise ValueError('no such file')
    path = os.path.join(directory, name)
    if request.text('encoding'):
        with open(path, 'rb') as source:
            body, headers = encode_body(request, source.read())
        connection.send_answer(body, type=request.text('type', 'application/json'),
                               headers=headers)
        return
    with open(path, 'rb') as source:
        connection.send_head(length=os.fstat(source.fileno()).st_size,
                             type=request.text('type', 'application/json'))
        while True:
            piece = source.read(PIECE)
            if not piece:
                return
            connection.send(piece)


def behave_raw(connection, request):
    """bytes= and nothing else, head and all; then closes."""
    connection.send(request.raw('bytes'))
    connection.close_unasked()


def behave_repeat(connection, request):
    """start=, then unit= times= times (default: for ever) with delay_ms= between, then end=: head
    and all, and nothing else. Then closes, or by then= waits (hold) or resets (reset)."""
    connection.close_unasked()
    connection.send(request.raw('start'))
    unit = request.raw('unit')
    delay = request.number('delay_ms', 0) / 1000
    left = request.number('times')
    per_piece = 1 if delay else max(1, PIECE // max(1, len(unit)))
    while left is None or left > 0:
        count = per_piece if left is None else min(per_piece, left)
        connection.send(unit * count)
        connection.pause(delay)
        left = None if left is None else left - count
    connection.send(request.raw('end'))
    if request.text('then') == 'hold':
        connection.wait_for_client()
    if request.text('then') == 'reset':
        connection.pause(0.05)
        connection.reset()


def behave_status(connection, request):
    """/status/CODE with an HTML body, or body=."""
    connection.send_answer(request.raw('body', HTML), '%d Trouble' % int(request.path.split('/')[2]),
                           request.text('type', 'text/html'))


def behave_ok_error(connection, request):
    """200 with an error object where rows should be."""
    connection.send_answer(request.raw('body', b'{"error":"relation does not exist"}'))


def behave_http10(connection, request):
    """HTTP/1.0: no length, the body ends with the connection."""
    connection.close_unasked()
    connection.send_head(version='HTTP/1.0')
    connection.send(request.raw('body', GOOD_ROWS))


def behave_interim(connection, request):
    """1xx answers before the real one (RFC 9110, section 15.2)."""
    connection.send(b'HTTP/1.1 100 Continue\r\n\r\n'
                    b'HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n')
    connection.send_answer(request.raw('body', GOOD_ROWS))


# --- bodies that come slowly, partly or not at all ---------------------------

def behave_drip(connection, request):
    """body= in pieces of chunk= bytes, delay_ms= apart."""
    body, headers = encode_body(request, request.raw('body', GOOD_ROWS))
    size = request.number('chunk', 1)
    connection.send_head(length=len(body), headers=headers)
    for start in range(0, len(body), size):
        connection.send(body[start:start + size])
        connection.pause(request.number('delay_ms', 1) / 1000)


def behave_stall(connection, request):
    """Falls silent after= nothing, headers, or a number of bytes of body=."""
    after = request.text('after', 'headers')
    body = request.raw('body', GOOD_ROWS)
    if after != 'nothing':
        connection.send_head(length=len(body) + 1000)
        if after != 'headers':
            connection.send(body[:int(after)])
    connection.wait_for_client()


def behave_accept_only(connection, request):
    """Reads the request and never answers."""
    connection.wait_for_client()


def behave_short(connection, request):
    """Promises length= bytes, sends send= of them (row array), then closes."""
    connection.close_unasked()
    connection.send_head(length=request.number('length', 1000))
    rows = b'[' + b','.join(b'{"id":%d}' % i for i in range(1, 200))
    connection.send(rows[:request.number('send', 600)])


def behave_close(connection, request):
    """Closes before any answer."""
    connection.close_unasked()


def behave_reset(connection, request):
    """Resets the connection after= nothing (default), headers, or a number of body bytes."""
    after = request.text('after', 'nothing')
    body = request.raw('body', GOOD_ROWS)
    if after != 'nothing':
        connection.send_head(length=len(body))
        if after != 'headers':
            connection.send(body[:int(after)])
        # let the bytes arrive first: a reset throws away what is on its way
        connection.pause(0.05)
    connection.reset()


def behave_forgetful(connection, request):
    """Rows as /rows, with a Content-Length, for the first request of a connection; then by how=
    closes at once (close, default), closes when the next one comes (silent), or sends surplus= as
    well (extra)."""
    how = request.text('how', 'close')
    if request.sequence > 1 and how == 'silent':
        connection.close_unasked()
        return
    body = b''.join(array_pieces(*row_range(request)))
    connection.send_answer(body)
    if how == 'close':
        connection.close_unasked()
    if how == 'extra':
        connection.send(request.raw('surplus', b'and more'))


# --- chunked transfer --------------------------------------------------------

def chunked_good(connection, body, size):
    for start in range(0, len(body), size):
        connection.send_chunk(body[start:start + size])
    connection.send_last_chunk()


def chunked_extension(connection, body, size):
    """RFC 9112, section 7.1.1: to be ignored."""
    connection.send_chunk(body, b';name=value;other="quoted"')
    connection.send_last_chunk()


def chunked_trailer(connection, body, size):
    connection.send_chunk(body)
    connection.send(b'0\r\nServer-Timing: query;dur=1.5\r\n\r\n')


def chunked_endless_trailer(connection, body, size):
    connection.send_chunk(body)
    connection.send(b'0\r\n')
    while True:
        connection.send(b'X-Filler: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n' * 500)


def chunked_bad_size(connection, body, size):
    connection.send_chunk(body)
    connection.send(b'zz\r\n')


def chunked_huge_size(connection, body, size):
    connection.send(b'fffffffffffffffffffff\r\n' + body)


def chunked_wrong_size(connection, body, size):
    """Says less than it sends: what follows the chunk is no line end."""
    connection.send(b'%x\r\n%s\r\n0\r\n\r\n' % (len(body) - 3, body))


def chunked_missing_last(connection, body, size):
    """Closes where the last chunk belongs, the JSON being complete."""
    connection.send_chunk(body)


def chunked_cut(connection, body, size):
    """Closes within a chunk."""
    connection.send(b'%x\r\n%s' % (len(body), body[:len(body) // 2]))


CHUNKED_MODES = {
    'good': chunked_good,
    'extension': chunked_extension,
    'trailer': chunked_trailer,
    'endless_trailer': chunked_endless_trailer,
    'bad_size': chunked_bad_size,
    'huge_size': chunked_huge_size,
    'wrong_size': chunked_wrong_size,
    'missing_last': chunked_missing_last,
    'cut': chunked_cut,
}
CHUNKED_WELL_FORMED = ('good', 'extension', 'trailer')


def behave_chunked(connection, request):
    """body= in Transfer-Encoding: chunked, by mode= (see CHUNKED_MODES), chunk= bytes each."""
    mode = request.text('mode', 'good')
    body, headers = encode_body(request, request.raw('body', GOOD_ROWS))
    if mode not in CHUNKED_WELL_FORMED:
        connection.close_unasked()
    connection.send_head(headers=['Transfer-Encoding: chunked'] + headers)
    CHUNKED_MODES[mode](connection, body, request.number('chunk', 16))


# --- retries and redirects ---------------------------------------------------

def retry_after(request):
    """Retry-After: after= seconds, or a date after_date= seconds ahead; as a list of headers."""
    if 'after_date' in request.parameters:
        moment = time.time() + request.number('after_date')
        return ['Retry-After: ' + email.utils.formatdate(moment, usegmt=True)]
    if 'after' in request.parameters:
        return ['Retry-After: ' + request.text('after')]
    return []


def behave_retry(connection, request):
    """status= for the first times= tries of key=, with Retry-After by retry_after; then body=."""
    if connection.server.shared.count_try(request.text('key')) > request.number('times', 1):
        connection.send_answer(request.raw('body', GOOD_ROWS))
        return
    connection.send_answer(b'{"error":"busy"}', '%d Busy' % request.number('status', 429),
                           headers=retry_after(request))


def behave_flaky(connection, request):
    """Status 500 for the tries of key= that fail= lists by number (1,4), else rows as /rows."""
    failing = request.text('fail').split(',')
    if str(connection.server.shared.count_try(request.text('key'))) in failing:
        connection.send_answer(b'{"error":"not this time"}', '500 Flaky')
        return
    behave_rows(connection, request)


def behave_flaky_close(connection, request):
    """Closes without an answer for the first times= tries of key=, then rows as /json."""
    if connection.server.shared.count_try(request.text('key')) <= request.number('times', 1):
        connection.close_unasked()
        return
    connection.send_answer(GOOD_ROWS)


def behave_redirect(connection, request):
    """status= to the location to=; without to=, to itself. body= comes after delay_ms=."""
    body = request.raw('body', b'')
    connection.send_head('%d Elsewhere' % request.number('status', 302), len(body),
                         headers=['Location: ' + request.text('to', request.target)])
    time.sleep(request.number('delay_ms', 0) / 1000)
    connection.send(body)


# --- taking rows -------------------------------------------------------------

def count_rows(request):
    """Of a JSON array or of lines, as Content-Type says; gzip as Content-Encoding says."""
    body = request.body
    if request.headers.get('content-encoding', '') == 'gzip':
        body = gzip.decompress(body)
    if request.headers.get('content-type', '').startswith('application/x-ndjson'):
        return len([json.loads(line) for line in body.splitlines() if line])
    rows = json.loads(body)
    if not isinstance(rows, list):
        raise ValueError('no array')
    return len(rows)


def save_rows(connection, request):
    connection.read_body(request)
    try:
        count = count_rows(request)
    except (ValueError, OSError, EOFError):
        connection.send_answer(b'{"error":"invalid body"}', '400 Bad Request')
        return False
    saved = connection.server.shared.saved
    if saved.take(request.headers.get('idempotency-key'), request.body, count):
        request.rows = count
        return True
    connection.send_answer(b'{"error":"same key, other body"}', '422 Unprocessable Content')
    return False


def fault_status(connection, request):
    """status= with Retry-After by retry_after, when the body was read."""
    connection.read_body(request)
    connection.send_answer(request.raw('body', b'{"error":"refused"}'),
                           '%d Refused' % request.number('status', 503),
                           headers=retry_after(request))


def fault_early_status(connection, request):
    """status= when bytes= of the body were read (default none), and no more of it is; then closes,
    or (linger=1) reads and drops the rest first, or (abrupt=1) closes without a FIN.
    says_close=1: Connection: close."""
    fault_read_part(connection, request)
    connection.close_unasked()
    connection.close_was_asked = request.flag('says_close')
    connection.send_answer(request.raw('body', b'{"error":"too large"}'),
                           '%d Refused' % request.number('status', 413))
    if request.flag('linger'):
        connection.wait_for_client()
    if request.flag('abrupt'):
        connection.close_at_once()


def fault_read_part(connection, request):
    while len(connection.buffer) < request.number('bytes', 0):
        connection.fill()


def fault_close_early(connection, request):
    """Closes, without a FIN, delay_ms= after bytes= of the body were read (default none)."""
    fault_read_part(connection, request)
    time.sleep(request.number('delay_ms', 0) / 1000)
    connection.close_at_once()


def fault_close(connection, request):
    """Reads the body, takes nothing, closes without an answer."""
    connection.read_body(request)
    connection.close_unasked()


def fault_answer_lost(connection, request):
    """Takes the rows, then closes without an answer."""
    if save_rows(connection, request):
        connection.close_unasked()


def fault_silence(connection, request):
    """Reads the body and never answers."""
    connection.read_body(request)
    connection.wait_for_client()


def fault_unread(connection, request):
    """Reads nothing of the body and says nothing, for delay_ms= or until the client hangs up."""
    time.sleep(request.number('delay_ms', 600000) / 1000)
    connection.close_unasked()


SAVE_FAULTS = {
    'status': fault_status,
    'early_status': fault_early_status,
    'close_early': fault_close_early,
    'close': fault_close,
    'answer_lost': fault_answer_lost,
    'silence': fault_silence,
    'unread': fault_unread,
}


def has_fault(connection, request):
    """Whether fault= is this request's: skip= tries of key= are spared (default none), then times=
    of them have it (default all), and the one that follows has the status then=, if given."""
    if 'fault' not in request.parameters:
        return False
    if 'times' not in request.parameters and 'skip' not in request.parameters:
        return True
    tries = connection.server.shared.count_try(request.text('key')) - request.number('skip', 0)
    if 'then' in request.parameters and tries == request.number('times') + 1:
        request.parameters.update(fault=b'status', status=request.raw('then'))
        return True
    return 0 < tries <= request.number('times', tries)


def behave_save(connection, request):
    """Takes rows and answers {"rows": k}, each Idempotency-Key once. fault= (see SAVE_FAULTS) comes
    first: see has_fault. answer= and good_status= instead of that answer."""
    if has_fault(connection, request):
        SAVE_FAULTS[request.text('fault')](connection, request)
    elif save_rows(connection, request):
        connection.send_answer(request.raw('answer', b'{"rows":%d}' % request.rows),
                               '%d Saved' % request.number('good_status', 200))


def behave_saved(connection, request):
    """What was saved: rows, requests, and of each body key, rows, bytes, sha256, start, repeat."""
    connection.send_answer(connection.server.shared.saved.as_json())


def behave_reference(connection, request):
    """/reference/BODY/info as the reference endpoint has it; every POST below fails with BODY."""
    if request.path.endswith('/info'):
        connection.send_answer(b'{"program":"scripted","save_table":"public.posted"}')
        return
    body = request.path[len('/reference/'):].rpartition('/')[0]
    connection.send_answer(body.encode(), '500 Trouble')


def behave_table(connection, request):
    """/table/NAME as PostgREST has it: GET has no rows, POST takes some and answers 201, empty."""
    if request.method == 'GET':
        connection.send_answer(b'[]', headers=['Content-Range: */*'])
    elif save_rows(connection, request):
        connection.send_answer(b'', '201 Created')


# --- between a client and a server that is honest ----------------------------

def pass_on(connection, request, port, target):
    """Asks the server on 127.0.0.1:port, body read before; returns its answer."""
    upstream = http.client.HTTPConnection('127.0.0.1', port, timeout=600)
    headers = {name: value for name, value in request.headers.items()
               if name not in ('host', 'connection', 'content-length')}
    upstream.request(request.method, target, request.body or None, headers)
    answer = upstream.getresponse()
    body = answer.read()
    upstream.close()
    return answer, body


def behave_via(connection, request):
    """/via/PORT/SPEC/REST: passed on to the server on that port, as /REST; SPEC is - or name:value
    pairs with commas between, a fault as for /save, which the POSTs to save_to_db have. Of its own:
    answer_lost, passed on and then closed without an answer; cut, closed within the answer."""
    _, _, port, spec, rest = request.target.split('/', 4)
    is_save = request.method == 'POST' and rest.startswith('save_to_db')
    if is_save and spec != '-':
        request.parameters.update((name, value.encode()) for name, _, value in
                                  (pair.partition(':') for pair in spec.split(',')))
    fault = request.text('fault') if is_save and has_fault(connection, request) else ''
    if fault and fault not in ('answer_lost', 'cut'):
        SAVE_FAULTS[fault](connection, request)
        return
    connection.read_body(request)
    answer, body = pass_on(connection, request, int(port), '/' + rest)
    if fault:
        connection.close_unasked()
    if fault == 'answer_lost':
        return
    headers = ['%s: %s' % pair for pair in answer.getheaders()
               if pair[0].lower() in ('retry-after', 'www-authenticate', 'content-encoding')]
    connection.send_head('%d %s' % (answer.status, answer.reason), len(body),
                         answer.getheader('Content-Type'), headers)
    connection.send(body[:1] if fault == 'cut' else body)


def behave_reset_saved(connection, request):
    connection.server.shared.saved.forget()
    connection.send_answer(b'[]')


# --- compression -------------------------------------------------------------

GZIP_HEAD = b'\x1f\x8b\x08\0\0\0\0\0\0\xff'
BOMB_UNIT = 1 << 20


def behave_gzip(connection, request):
    """body= as gzip: members= (split in so many), cut= bytes off the end, trailing= bytes after,
    damage=1 (wrong checksum); level=0 to 9."""
    body = request.raw('body', GOOD_ROWS)
    members = request.number('members', 1)
    size = -(-len(body) // members)
    packed = b''.join(gzip.compress(body[start:start + size], request.number('level', 6), mtime=0)
                      for start in range(0, len(body), size))
    if request.flag('damage'):
        packed = packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:]
    packed = packed[:len(packed) - request.number('cut', 0)] + request.raw('trailing')
    connection.send_answer(packed, headers=['Content-Encoding: gzip'])


def bomb_pieces(megabytes):
    """Yields gzip that inflates to a JSON row with a string of so many MiB of '0'.

    One MiB is compressed once: after a full flush a block refers to nothing
    before it, so the same bytes can be sent again and again. Nobody lives to
    see the checksum; it is zero.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    yield (GZIP_HEAD + packer.compress(b'[{"id":1,"x":"') + packer.flush(zlib.Z_FULL_FLUSH))
    unit = packer.compress(b'0' * BOMB_UNIT) + packer.flush(zlib.Z_FULL_FLUSH)
    units_per_piece = max(1, PIECE // len(unit))
    for start in range(0, megabytes, units_per_piece):
        yield unit * min(units_per_piece, megabytes - start)
    yield packer.compress(b'"}]') + packer.flush() + struct.pack('<II', 0, 0)


def behave_bomb(connection, request):
    """gzip that expands to mb= MiB (1000 times its size); nested=1: gzip in gzip."""
    pieces = bomb_pieces(request.number('mb', 10000))
    if request.flag('nested'):
        connection.send_answer(gzip.compress(b''.join(pieces), 9, mtime=0),
                               headers=['Content-Encoding: gzip, gzip'])
        return
    connection.close_unasked()
    connection.send_head(headers=['Content-Encoding: gzip'])
    for piece in pieces:
        connection.send(piece)


# --- without end, or too much ------------------------------------------------

def behave_endless_headers(connection, request):
    """Header lines for ever."""
    connection.send(b'HTTP/1.1 200 OK\r\n')
    number = 0
    while True:
        connection.send(b''.join(b'X-Filler-%d: %s\r\n' % (number + i, b'x' * 100)
                                 for i in range(500)))
        number += 500


def behave_large_header(connection, request):
    """One header of bytes= bytes."""
    connection.send_answer(GOOD_ROWS, headers=['X-Large: ' + 'x' * request.number('bytes', 1 << 20)])


def behave_endless_body(connection, request):
    """start=, then unit= again and again; no length, no end."""
    connection.close_unasked()
    connection.send_head()
    connection.send(request.raw('start', b'['))
    unit = request.raw('unit', b'{"id":1},')
    piece = unit * max(1, PIECE // len(unit))
    while True:
        connection.send(piece if not request.number('delay_ms', 0) else unit)
        connection.pause(request.number('delay_ms', 0) / 1000)


def behave_big(connection, request):
    """One row whose x is a string of bytes= bytes."""
    head, tail = b'[{"id":1,"x":"', b'"}]'
    left = request.number('bytes', 1 << 20)
    connection.send_head(length=len(head) + left + len(tail))
    connection.send(head)
    while left > 0:
        piece = b'x' * min(left, PIECE)
        connection.send(piece)
        left -= len(piece)
    connection.send(tail)


def behave_wide(connection, request):
    """rows= rows, each with the same id and a string of width= bytes."""
    row = b'{"id":1,"x":"' + b'x' * request.number('width', 10000) + b'"}'
    rows = request.number('rows', 1000)
    connection.send_head(length=rows * (len(row) + 1) + 1)
    connection.send(b'[' + row)
    rest = b',' + row
    per_piece = max(1, PIECE // len(rest))
    for start in range(1, rows, per_piece):
        connection.send(rest * min(per_piece, rows - start))
    connection.send(b']')


def behave_deep(connection, request):
    """One row whose x is depth= arrays within each other."""
    depth = request.number('depth', 1000)
    connection.send_answer(b'[{"id":1,"x":' + b'[' * depth + b']' * depth + b'}]')


# --- generated rows ----------------------------------------------------------

ROWS_PER_PIECE = 2000


def row_range(request):
    """ids to send: those of a table of total= rows (default: what is asked for), from offset= on,
    at most row_limit= or n=, and extra= more than that."""
    asked = request.number('row_limit', request.number('n', 3))
    offset = request.number('offset', 0)
    total = request.number('total', offset + asked)
    return offset + 1, max(offset, min(offset + asked, total)) + request.number('extra', 0)


def row_object(i):
    return b'{"id":%d,"x":%d.5}' % (i, i)


def array_pieces(first, last):
    yield b'['
    for start in range(first, last + 1, ROWS_PER_PIECE):
        ids = range(start, min(start + ROWS_PER_PIECE, last + 1))
        yield (b'' if start == first else b',') + b','.join(map(row_object, ids))
    yield b']'


def line_pieces(first, last):
    for start in range(first, last + 1, ROWS_PER_PIECE):
        ids = range(start, min(start + ROWS_PER_PIECE, last + 1))
        yield b''.join(row_object(i) + b'\n' for i in ids)


def column_pieces(first, last):
    for lead, form in ((b'{"id":[', b'%d'), (b'],"x":[', b'%d.5')):
        yield lead
        for start in range(first, last + 1, ROWS_PER_PIECE):
            ids = range(start, min(start + ROWS_PER_PIECE, last + 1))
            yield (b'' if start == first else b',') + b','.join(form % i for i in ids)
    yield b']}'


def send_pieces(connection, request, pieces, type='application/json'):
    """Chunked, with delay_ms= between pieces and gzip when encoding=gzip; stall=1 leaves the
    last chunk out and waits."""
    packer = None
    headers = ['Transfer-Encoding: chunked']
    if request.text('encoding') == 'gzip':
        headers.append('Content-Encoding: gzip')
        packer = zlib.compressobj(1, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    connection.send_head(headers=headers, type=type)
    for piece in pieces:
        connection.send_chunk(packer.compress(piece) if packer else piece)
        connection.pause(request.number('delay_ms', 0) / 1000)
    if packer:
        connection.send_chunk(packer.flush())
    if request.flag('stall'):
        connection.wait_for_client()
    connection.send_last_chunk()


def behave_rows(connection, request):
    """Rows {"id":i,"x":i.5} as an array; see row_range."""
    send_pieces(connection, request, array_pieces(*row_range(request)))


def behave_ndjson(connection, request):
    """The same rows, one a line."""
    send_pieces(connection, request, line_pieces(*row_range(request)), 'application/x-ndjson')


def behave_columns(connection, request):
    """The same rows, column by column."""
    send_pieces(connection, request, column_pieces(*row_range(request)))


# --- what the server saw -----------------------------------------------------

def behave_echo(connection, request):
    """status= with what was sent as an error's body: pad= bytes, then all headers."""
    shown = 'x' * request.number('pad', 0) + ' '.join('%s: %s' % pair
                                                     for pair in request.headers.items())
    connection.send_answer(json.dumps({'error': shown}).encode(),
                           '%d Trouble' % request.number('status', 500),
                           headers=['WWW-Authenticate: ' + shown])


def behave_under(connection, request):
    """/under/NAME/...: as /NAME, whatever follows."""
    request.path = '/' + request.path.split('/')[2]
    find_behaviour(request.path)(connection, request)


def behave_connection_id(connection, request):
    """One row: how many requests this connection has brought, this one included."""
    connection.send_answer(b'[{"id":%d}]' % request.sequence)


def behave_requests(connection, request):
    """The requests seen so far, as a JSON array."""
    with connection.server.shared.lock:
        log = json.dumps(connection.server.shared.log).encode()
    connection.send_answer(log)


def behave_reset_requests(connection, request):
    with connection.server.shared.lock:
        connection.server.shared.log.clear()
    connection.send_answer(b'[]')


def behave_unknown(connection, request):
    connection.send_answer(b'{"error":"no such behaviour"}', '404 Not Found')


# --- the table ---------------------------------------------------------------

BEHAVIOURS = {
    '/json': behave_json,
    '/file/': behave_file,
    '/raw': behave_raw,
    '/repeat': behave_repeat,
    '/forgetful': behave_forgetful,
    '/status/': behave_status,
    '/ok_error': behave_ok_error,
    '/http10': behave_http10,
    '/interim': behave_interim,
    '/drip': behave_drip,
    '/stall': behave_stall,
    '/accept_only': behave_accept_only,
    '/short': behave_short,
    '/close': behave_close,
    '/reset': behave_reset,
    '/chunked': behave_chunked,
    '/retry': behave_retry,
    '/flaky': behave_flaky,
    '/flaky_close': behave_flaky_close,
    '/redirect': behave_redirect,
    '/save': behave_save,
    '/save_to_db': behave_save,
    '/reference/': behave_reference,
    '/table/': behave_table,
    '/via/': behave_via,
    '/saved': behave_saved,
    '/reset_saved': behave_reset_saved,
    '/gzip': behave_gzip,
    '/bomb': behave_bomb,
    '/endless_headers': behave_endless_headers,
    '/large_header': behave_large_header,
    '/endless_body': behave_endless_body,
    '/big': behave_big,
    '/wide': behave_wide,
    '/deep': behave_deep,
    '/rows': behave_rows,
    '/load_from_db': behave_rows,
    '/ndjson': behave_ndjson,
    '/columns': behave_columns,
    '/echo': behave_echo,
    '/under/': behave_under,
    '/connection_id': behave_connection_id,
    '/requests': behave_requests,
    '/reset_requests': behave_reset_requests,
}
UNLOGGED_PATHS = ('/requests', '/reset_requests', '/saved', '/reset_saved')
# they decide by themselves what is read of a request's body
BODY_READERS = (behave_save, behave_table, behave_via)


def find_behaviour(path):
    """An entry that ends with '/' takes all paths below it."""
    if path in BEHAVIOURS:
        return BEHAVIOURS[path]
    for prefix, behaviour in BEHAVIOURS.items():
        if prefix.endswith('/') and path.startswith(prefix):
            return behaviour
    return behave_unknown


# --- the program -------------------------------------------------------------

class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, files, tls):
        super().__init__(('127.0.0.1', 0), Connection)
        self.files = files
        self.tls = tls
        self.shared = Shared()

    def handle_error(self, request, client_address):
        # a client that breaks off is what many tests are about
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def make_unanswered_listener():
    """A listening socket with its backlog full, and the connections that fill it."""
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(0)
    fillers = []
    for _ in range(3):
        filler = socket.socket()
        filler.setblocking(False)
        filler.connect_ex(listener.getsockname())
        fillers.append(filler)
    return listener, fillers


def answer_eagerly(listener):
    """Good rows for whoever connects; what is asked is read afterwards, and dropped."""
    while True:
        peer, _ = listener.accept()
        try:
            peer.sendall(b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
                         b'Content-Length: %d\r\n\r\n%s' % (len(GOOD_ROWS), GOOD_ROWS))
            peer.settimeout(5)
            while peer.recv(PIECE):
                pass
        except OSError:
            pass
        peer.close()


def make_eager_listener():
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(8)
    threading.Thread(target=answer_eagerly, args=(listener,), daemon=True).start()
    return listener


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--files', metavar='DIRECTORY')
    parser.add_argument('--tls', nargs=2, metavar=('CERTIFICATE', 'KEY'))
    arguments = parser.parse_args()

    tls = None
    if arguments.tls:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*arguments.tls)
    server = Server(arguments.files, tls)
    listener, fillers = make_unanswered_listener()
    # at once: who wants less of it may close the pipe after it
    sys.stdout.write('listening on %d\nunanswered on %d\neager on %d\n' %
                     (server.server_address[1], listener.getsockname()[1],
                      make_eager_listener().getsockname()[1]))
    sys.stdout.flush()

    threading.Thread(target=server.serve_forever, daemon=True).start()
    while sys.stdin.buffer.read(PIECE):
        pass
    # threads may be in the middle of anything: nothing here needs tidying up
    os._exit(0)


if __name__ == '__main__':
    main()
