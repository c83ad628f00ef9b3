# One table of what a peer can do wrong, on purpose or not: each behaviour with
# the SQLSTATE and the message that it gets, from a timed trial and from the
# pass that verifies; after each of them the same backend does a good fetch.
# Then all of them again in turn, a thousand calls: nothing is left behind.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

use TransferBench;

# under valgrind all is slow, and no memory is flat
use constant UNDER_VALGRIND => $ENV{TRANSFERBENCH_VALGRIND} ? 1 : 0;
use constant {
	BOUND_S => UNDER_VALGRIND ? 300 : 20,    # of one call, on a machine busy with other things
	CALLS => 1000,
	MEMORY_TOLERANCE => 1 << 20,
	PEAK_TOLERANCE => 64 << 20, };    # one row at its largest, as a value and as a tuple

my $node = start_node('misbehaviours');
my $server = start_http_server();
my $session = TransferBench::Session->new($node);

$session->value($_)
  for (
	'CREATE TABLE points (id bigint, x float8)',
	'CREATE TABLE texts (id bigint, x text)',
	'CREATE TABLE numbers (id bigint, x numeric)',
	'CREATE TABLE documents (id bigint, x jsonb)',

	# 0.1 s for a value: what the server sends after the rows is there before the next request
	"CREATE DOMAIN leisure AS bigint CHECK (pg_sleep(0.1)::text IS NOT NULL)",
	'CREATE TABLE slow_points (id leisure, x float8)');

# --- the table -----------------------------------------------------------------------

my $rows = '[{"id":1,"x":1.5},{"id":2,"x":2.5},{"id":3,"x":3.5}]';
my $ok = "HTTP/1.1 200 OK\r\n";
my $json = "${ok}Content-Type: application/json\r\n";
my $open = "$json\r\n";    # what follows is the body, up to the end of the connection
my $chunked = "${json}Transfer-Encoding: chunked\r\n\r\n";
my $chunk = sprintf "%x\r\n%s\r\n", length $rows, $rows;
my $packed = "${json}Content-Encoding: gzip\r\n\r\n";
my $gzip_head = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff";
my $empty_block = "\x00\x00\x00\xff\xff";                      # of deflate: stored, no byte
my $empty_member = "$gzip_head\x03\x00" . "\x00" x 8;
my $utf16 = join '', map { "$_\0" } split //, $rows;

# What the server sends, byte by byte.
sub raw { return ('/repeat', start => join('', @_), times => 0) }
# The same unit for ever, or so many times, between a start and an end.
sub again { my ($start, $unit, %more) = @_; return ('/repeat', start => $start, unit => $unit, %more) }

sub body { return ('/json', body => $_[0]) }

my $unread = qr/^could not read the answer of http:\S+: /;
my $lost = qr/^connection to http:\S+ was lost: /;
my $limit = { max_response_bytes => '4MB' };
my $quick = { stall_timeout => '300ms' };
my $follow = { follow_redirects => 'on' };

# name, expected, address. Expected is 'rows|status' of a success, or SQLSTATE
# and message. Options: n (3), row_type (points), set (settings), page_rows,
# detail, hint, once (too much for the rotation).
my @table;

sub good
{
	my ($name, $result, $address, %options) = @_;
	push @table, { name => $name, result => $result, address => $address, %options };
	return;
}

sub bad
{
	my ($name, $sqlstate, $message, $address, %options) = @_;
	push @table,
	  { name => $name, sqlstate => $sqlstate, message => $message, address => $address, %options };
	return;
}

# Connections
bad('refused', '08001', qr/^could not connect to http:\S+: .*(connect|refused)/i, ['http://127.0.0.1:1/']);
bad('never accepted', '08001', qr/^could not connect to http:\S+ within 0\.3 s$/,
	["http://127.0.0.1:$server->{unanswered_port}/"],
	set => { connect_timeout => '300ms' }, hint => qr/pg_transferbench\.connect_timeout/);
bad('closed before the answer', '08006', qr/${lost}Empty reply/, ['/close']);
bad('reset before the answer', '08006', qr/$unread.*reset/i, ['/reset']);
bad('reset within the header', '08006', qr/$unread.*reset/i, [ again($ok, '', times => 0, then => 'reset') ]);
bad('reset after the header', '08006', qr/$unread.*reset/i, [ '/reset', after => 'headers' ]);
bad('reset within the body', '08006', qr/$unread.*reset/i, [ '/reset', after => 20 ]);
bad('reset within a chunk', '08006', qr/$unread.*reset/i, [ again("${chunked}ff\r\n[", '', times => 0, then => 'reset') ]);
bad('closed within the status line', '08006', qr/${lost}Empty reply/, [ raw('HTTP/1.1 20') ]);
bad('closed within the header', '08006', qr/closed within the response header/, [ raw("${ok}Content-Ty") ]);
bad('closed after an interim answer', '08006', qr/${lost}Empty reply/, [ raw("HTTP/1.1 100 Continue\r\n\r\n") ]);
good('answered before the request is read', '3|ok', ["http://127.0.0.1:$server->{eager_port}/"]);
for my $how (qw(close silent))
{
	good("a kept connection that is closed between pages: $how", '5|ok',
		[ '/forgetful', how => $how, total => 5 ], n => 5, page_rows => 2);
}
good('more than Content-Length between pages', '4|ok', [ '/forgetful', how => 'extra', total => 4 ], n => 4, page_rows => 2, row_type => 'slow_points');
good('an answer nobody asked for between pages', '4|ok',
	[ '/forgetful', how => 'extra', total => 4, surplus => "${json}Content-Length: 2\r\n\r\n[]" ],
	n => 4, page_rows => 2, row_type => 'slow_points');

bad('a server that speaks no TLS', '08001', qr/^could not connect to https:\S+: .*SSL/, ["https://127.0.0.1:$server->{eager_port}/"]);
bad('a server that does not answer in TLS', '08001', qr/^could not connect to https:\S+ within 0\.3 s$/,
	["https://127.0.0.1:@{[$server->port]}/json"], set => { connect_timeout => '300ms' });

# Silence and dripping
bad('silence after the request', '08006', qr/sent nothing for 0\.3 s/, ['/accept_only'], set => $quick, hint => qr/stall_timeout/);
bad('silence within the status line', '08006', qr/sent nothing for 0\.3 s/, [ again('HTTP/1.1 2', '', times => 0, then => 'hold') ], set => $quick);
bad('silence within the header', '08006', qr/sent nothing for 0\.3 s/, [ again($json, '', times => 0, then => 'hold') ], set => $quick);
bad('silence after the header', '08006', qr/sent nothing for 0\.3 s/, ['/stall'], set => $quick);
bad('silence within the body', '08006', qr/sent nothing for 0\.3 s/, [ '/stall', after => 20 ], set => $quick);
bad('silence instead of the last chunk', '08006', qr/sent nothing for 0\.3 s/, [ again("$chunked$chunk", '', times => 0, then => 'hold') ], set => $quick);
bad('silence within the trailers', '08006', qr/sent nothing for 0\.3 s/, [ again("$chunked${chunk}0\r\nA: b\r\n", '', times => 0, then => 'hold') ], set => $quick);
my $impatient = { timeout => '300ms', stall_timeout => '200ms' };
bad('a status line that drips', '08006', qr/did not answer in full within 0\.3 s/, [ again('HTTP/1.1 ', '2', delay_ms => 20) ], set => { timeout => '300ms' }, once => 1);
bad('a header that drips', '08006', qr/did not answer in full within 0\.3 s/, [ again($ok, "A: b\r\n", delay_ms => 20) ], set => $impatient, hint => qr/pg_transferbench\.timeout/);
bad('a body that drips', '08006', qr/did not answer in full within 0\.3 s/, [ again("$open\[", '{},', delay_ms => 20) ], n => 1000, set => $impatient);
bad('chunks that drip', '08006', qr/did not answer in full within 0\.3 s/, [ again($chunked, "1\r\n \r\n", delay_ms => 20) ], set => $impatient);
bad('trailers that drip', '08006', qr/did not answer in full within 0\.3 s/, [ again("$chunked${chunk}0\r\n", "A: b\r\n", delay_ms => 20) ], set => $impatient);
bad('interim answers that drip', '08006', qr/did not answer in full within 0\.3 s/, [ again('', "HTTP/1.1 100 Continue\r\n\r\n", delay_ms => 20) ], set => $impatient);

# The status line
my $no_http = qr/^http:\S+ did not answer in HTTP: /;
bad('no HTTP: SSH', '08P01', $no_http, [ raw("SSH-2.0-OpenSSH_9.2\r\n") ]);
bad('no HTTP: SMTP', '08P01', $no_http, [ raw("220 mail ESMTP\r\n") ]);
bad('no HTTP: TLS', '08P01', $no_http, [ raw("\x15\x03\x01\x00\x02\x02\x46") ]);
bad('HTTP/0.9', '08P01', $no_http, [ raw($rows) ]);
bad('the preface of HTTP/2', '08P01', $no_http, [ raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") ]);
bad('frames of HTTP/2', '08P01', $no_http, [ raw("\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0\x64") ]);
bad('line ends before the status line', '08P01', $no_http, [ raw("\r\n\r\n$open$rows") ]);
bad('HTTP/2 in a status line', '08P01', $no_http, [ raw("HTTP/2 200 OK\r\n\r\n$rows") ]);
bad('HTTP/3.7', '08P01', $no_http, [ raw("HTTP/3.7 200 OK\r\n\r\n$rows") ]);
bad('a status of no digits', '08P01', $no_http, [ raw("HTTP/1.1 OK\r\n\r\n$rows") ]);
bad('a status of two digits', '08P01', $no_http, [ raw("HTTP/1.1 20 OK\r\n\r\n$rows") ]);
bad('a status of four digits', '08P01', $no_http, [ raw("HTTP/1.1 2000 OK\r\n\r\n$rows") ]);
bad('a negative status', '08P01', $no_http, [ raw("HTTP/1.1 -200 OK\r\n\r\n$rows") ]);
bad('status 099', '08P01', $no_http, [ raw("HTTP/1.1 099 Low\r\n\r\n$rows") ]);
bad('status 999', '38000', qr/HTTP status 999$/, [ raw("HTTP/1.1 999 High\r\n\r\n$rows") ], detail => qr/"id":1/);
good('no reason after the status', '3|ok', [ raw("HTTP/1.1 200\r\n\r\n$rows") ]);
good('lines that end with LF alone', '3|ok', [ raw("HTTP/1.1 200 OK\nContent-Length: 52\n\n$rows") ]);
bad('a status line without end', '54000', qr/response header .* too long/, [ again('HTTP/1.1 200 ', 'x') ]);

# Statuses
for my $status (206, 400, 401, 404, 429, 500, 502, 503)
{
	bad("status $status", '38000', qr/answered with HTTP status $status$/, ["/status/$status"], detail => qr/It did not work/);
}
bad('status 200 to 204 in between: 202', '38000', qr/HTTP status 202$/, ['/status/202']);
bad('status 304 without a body', '38000', qr/HTTP status 304$/, [ '/status/304', body => '' ]);
bad('status 304 with a body', '38000', qr/HTTP status 304$/, ['/status/304']);
bad('status 101', '38000', qr/HTTP status 101$/, [ raw("HTTP/1.1 101 Switch\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx") ], set => $quick);
good('status 204 with a body', '0|short', [ '/status/204', body => $rows ]);
good('status 204 with a body, between pages', '0|short', [ '/status/204', body => $rows ], n => 4, page_rows => 2);
bad('an error of 20 MB', '38000', qr/HTTP status 500$/, [ again("HTTP/1.1 500 Oh\r\n\r\n", 'x', times => 20 << 20) ], detail => qr/^The body begins: x{200}\.\.\.$/);
bad('an error without end', '38000', qr/HTTP status 500$/, [ again("HTTP/1.1 500 Oh\r\n\r\n", 'x') ], detail => qr/^The body begins: x{200}\.\.\.$/);
bad('an error with trailers without end', '38000', qr/HTTP status 500$/,
	[ again("HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n", "A: b\r\n") ], detail => qr/^The body begins: no$/);
bad('an error that is cut', '38000', qr/HTTP status 500$/, [ raw("HTTP/1.1 500 Oh\r\nContent-Length: 100\r\n\r\nno") ], detail => qr/^The body begins: no$/);
bad('an error that drips', '38000', qr/HTTP status 500$/, [ again("HTTP/1.1 500 Oh\r\n\r\n", 'x', delay_ms => 20) ], detail => qr/begins: x+$/, once => 1);
bad('an error of bytes for terminals', '38000', qr/HTTP status 500$/, [ '/status/500', body => "\e[31m\x07\xff" ], detail => qr/: \\x1b\[31m\\x07\\xff$/);

# Interim answers
good('a hundred interim answers', '3|ok', [ again('', "HTTP/1.1 100 Continue\r\n\r\n", times => 100, end => "$open$rows") ]);
good('early hints', '3|ok', [ raw("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n$open$rows") ]);
bad('100 Continue without end', '54000', qr/response header .* too long/, [ again('', "HTTP/1.1 100 Continue\r\n\r\n") ]);
bad('103 Early Hints without end', '54000', qr/response header .* too long/, [ again('', "HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n") ]);

# Headers
bad('a header line of 10 MB', '54000', qr/response header .* too long/, [ '/large_header', bytes => 10 << 20 ]);
bad('100,000 small headers', '54000', qr/response header .* too long/, [ again($ok, "A: b\r\n", times => 100_000, end => "\r\n$rows") ]);
bad('headers without end', '54000', qr/response header .* too long/, ['/endless_headers']);
bad('a header line without end', '54000', qr/response header .* too long/, [ again("${ok}A: ", 'b') ]);
bad('a header name without end', '54000', qr/response header .* too long/, [ again($ok, 'A') ]);
bad('a NUL in a header', '08P01', $no_http, [ raw("${ok}A: b\0c\r\n\r\n$rows") ]);
bad('a header without a colon', '08P01', $no_http, [ raw("${ok}nonsense\r\n\r\n$rows") ]);
good('a header folded over two lines', '3|ok', [ raw("${ok}A: b\r\n c\r\n\r\n$rows") ]);
good('a header without a name', '3|ok', [ raw("${ok}: b\r\n\r\n$rows") ]);
good('a header without a value', '3|ok', [ raw("${ok}A:\r\nContent-Encoding:\r\nContent-Type:\r\n\r\n$rows") ]);
good('bytes beyond ASCII in a header', '3|ok', [ raw("${ok}A: \xff\xfe\e[31m\r\n\r\n$rows") ]);
good('a Set-Cookie of 8 kB', '3|ok', [ raw("${ok}Set-Cookie: a=" . 'b' x 8192 . "\r\n\r\n$rows") ]);

# Lengths
bad('less than Content-Length', '08006', qr/${lost}.*remaining to read/, ['/short'], n => 1000);
bad('nothing of Content-Length', '08006', qr/${lost}.*remaining to read/, [ '/short', send => 0 ]);
good('more than Content-Length', '3|ok', [ raw("${json}Content-Length: 52\r\n\r\n$rows<html>") ]);
bad('Content-Length within the JSON', '22032', qr/truncated after 2 rows/, [ raw("${json}Content-Length: 50\r\n\r\n$rows") ]);
my $no_length = qr/${no_http}.*Content-Length/;
for my $length ('-1', '-52', '+52', '0x34', '52abc', '5 2', '52;', '52, 53', '', '99999999999999999999', '5' x 1000)
{
	bad('Content-Length: ' . substr($length, 0, 20), '08P01', $no_length, [ raw("${json}Content-Length: $length\r\n\r\n$rows") ]);
}
bad('two Content-Lengths that differ', '08P01', qr/${no_http}Content-Length comes twice/, [ raw("${json}Content-Length: 52\r\nContent-Length: 19\r\n\r\n$rows") ]);
good('two Content-Lengths that are equal', '3|ok', [ raw("${json}Content-Length: 52\r\nContent-Length: 52\r\n\r\n$rows") ]);
bad('Content-Length of an exabyte', '08006', qr/${lost}.*remaining to read/, [ raw("${json}Content-Length: 999999999999999999\r\n\r\n$rows") ]);
good('Content-Length beside chunks', '3|ok', [ raw("${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n") ]);

# Transfer codings
for my $coding ('gzip', 'gzip, chunked', 'br', 'zstd', 'identity', 'nonsense', 'chunked, chunked')
{
	bad("Transfer-Encoding: $coding", '08P01', qr/${no_http}Transfer-Encoding is not chunked$/,
		[ raw("${json}Transfer-Encoding: $coding\r\n\r\n${chunk}0\r\n\r\n") ]);
}
bad('Transfer-Encoding in two lines', '08P01', qr/${no_http}Transfer-Encoding is not chunked$/,
	[ raw("${json}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n") ]);
good('Transfer-Encoding: Chunked, in capitals', '3|ok', [ raw("${json}Transfer-Encoding: CHUNKED\r\n\r\n${chunk}0\r\n\r\n") ]);

# Chunks
my $bad_chunk = qr/^could not read the answer of http:\S+: .*(chunk|encoding|hex)/i;
for my $size ('zz', '-5', '+5', '', ' ', 'fffffffffffffffff', '0' x 100 . '5', 'ffffffffffffffff')
{
	my $shown = length $size > 20 ? 'of a hundred zeros' : "'$size'";
	bad("a chunk size $shown", '08006', $bad_chunk, [ raw("$chunked$size\r\n$rows\r\n0\r\n\r\n") ]);
}
bad('a chunk of 8 EiB', '08006', qr/${lost}transfer closed/, [ raw("${chunked}7fffffffffffffff\r\n$rows") ]);
bad('a chunk longer than it says', '08006', $bad_chunk, [ '/chunked', mode => 'wrong_size' ]);
bad('a chunk cut', '08006', qr/${lost}transfer closed/, [ '/chunked', mode => 'cut' ]);
bad('the last chunk missing', '08006', qr/${lost}transfer closed/, [ '/chunked', mode => 'missing_last' ]);
bad('closed within a chunk size', '08006', qr/${lost}transfer closed/, [ raw("$chunked${chunk}3") ]);
bad('closed within the trailers', '08006', qr/${lost}transfer closed/, [ raw("$chunked${chunk}0\r\nA: b\r\n") ]);
good('chunks of one byte', '3|ok', [ '/chunked', chunk => 1 ]);
good('a chunk extension of 1 MB', '3|ok', [ again(sprintf("$chunked%x;", length $rows), 'x', times => 1 << 20, end => "\r\n$rows\r\n0\r\n\r\n") ]);
bad('a chunk extension without end', '08006', qr/sent nothing for 0\.3 s/, [ again("${chunked}5;", 'x') ], set => $quick);
good('trailers', '3|ok', [ '/chunked', mode => 'trailer' ]);
bad('a trailer line without end', '08006', $bad_chunk, [ again("$chunked${chunk}0\r\nA: ", 'x') ]);
bad('trailers without end', '54000', qr/response header .* too long/, [ again("$chunked${chunk}0\r\n", "A: b\r\n") ]);
good('a Content-Encoding among the trailers', '3|ok', [ raw("$chunked${chunk}0\r\nContent-Encoding: gzip\r\n\r\n") ]);

# Content codings
for my $coding ('br', 'zstd', 'compress', 'nonsense', 'gzip+gzip', 'gzip, br')
{
	(my $named = $coding) =~ s/\+/, /;
	bad("Content-Encoding: $named", '38000', qr/unsupported content coding "\Q$named\E"/, [ '/json', encoding => $coding ], hint => qr/gzip and deflate/);
}
bad('Content-Encoding in two lines', '38000', qr/unsupported content coding "gzip, gzip"/, [ raw("${json}Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n$rows") ]);
bad('a Content-Encoding of 2 kB', '38000', qr/unsupported content coding "x+"/, [ raw("${json}Content-Encoding: ${\('x' x 2048)}\r\n\r\n$rows") ]);
bad('a bomb of brotli', '38000', qr/unsupported content coding "br"/, [ again("${json}Content-Encoding: br\r\n\r\n", "\xff") ]);
bad('a bomb of gzip in gzip', '38000', qr/unsupported content coding "gzip, gzip"/, [ '/bomb', nested => 1, mb => 100 ]);
bad('a bomb of gzip', '54000', qr/is longer than 4194304 bytes$/, [ '/bomb', mb => 100_000 ], set => $limit, row_type => 'texts', hint => qr/max_response_bytes/);
bad('a bomb of gzip within one row', '54000', qr/row/, [ '/bomb', mb => 100_000 ], row_type => 'texts', hint => qr/max_row_bytes/);
my $corrupt = qr/^the compressed body of http:\S+ is corrupt$/;
my $cut = qr/^the compressed body of http:\S+ ends too early$/;
bad('gzip that is none', '38000', $corrupt, [ raw("$packed$rows") ]);
bad('deflate without its zlib header', '38000', $corrupt, [ raw("${json}Content-Encoding: deflate\r\n\r\n\x4b\x4c\x4a\x06\x00") ]);
bad('deflate with a dictionary', '38000', $corrupt, [ raw("${json}Content-Encoding: deflate\r\n\r\n\x78\xbb\0\0\0\1\x03\0") ]);
bad('gzip with a wrong checksum', '38000', $corrupt, [ '/gzip', damage => 1 ]);
bad('gzip with something after it', '38000', $corrupt, [ '/gzip', trailing => 'more' ]);
bad('gzip with zeros after it', '38000', $corrupt, [ '/gzip', trailing => "\0" x 512 ]);
bad('gzip with half a member after it', '08006', $cut, [ '/gzip', trailing => $gzip_head ]);
bad('gzip cut', '08006', $cut, [ '/gzip', cut => 4 ]);
bad('gzip cut in the middle', '08006', $cut, [ '/gzip', cut => 20 ]);
bad('a gzip header alone', '08006', $cut, [ raw("$packed$gzip_head") ]);
good('an empty body for gzip', '0|short', [ raw($packed) ]);
good('an empty member', '0|short', [ raw("$packed$empty_member") ]);
bad('gzip that is not told', '22032', qr/0x1f|\\x1f/i, [ raw("$open$empty_member") ]);
bad('gzip of empty blocks without end', '54000', qr/is longer than 4194304 bytes$/, [ again("$packed$gzip_head", $empty_block) ], set => $limit, hint => qr/max_response_bytes/);
bad('empty members without end', '54000', qr/is longer than 4194304 bytes$/, [ again($packed, $empty_member) ], set => $limit);
bad('a name without end in the gzip header', '54000', qr/is longer than 4194304 bytes$/, [ again("$packed\x1f\x8b\x08\x08\0\0\0\0\0\xff", 'x') ], set => $limit);

# Redirects
bad('a redirect that is not followed', '38000', qr/HTTP status 302$/, [ '/redirect', to => '/json' ], hint => qr/follow_redirects/);
bad('a redirect to itself', '38000', qr/redirected more than 5 times$/, ['/redirect'], set => $follow);
for my $case (
	[ 'another host', 'http://192.0.2.1/', '42501', qr/host "192\.0\.2\.1" port 80 is not allowed/ ],
	[ 'a metadata address', 'http://169.254.169.254/', '42501', qr/host "169\.254\.169\.254" port 80 is not allowed/ ],
	[ 'a file', 'file:///etc/passwd', '38000', qr/redirect/i ],
	[ 'gopher', 'gopher://127.0.0.1/', '38000', qr/redirect/i ],
	[ 'a script', 'javascript:alert(1)', '38000', qr/redirect/i ],
	[ 'a user', 'http://user:t0ps3cret@127.0.0.1/', '38000', qr/redirect((?!t0ps3cret).)*$/ ],
	[ 'port 0', 'http://127.0.0.1:0/', '08001', qr{^could not connect to http://127\.0\.0\.1:0/: } ],
	[ 'port 99999', 'http://127.0.0.1:99999/', '38000', qr/redirect/i ],
	[ 'no host', 'http://', '38000', qr/redirect/i ],
	[ 'wild bytes', "http://\xff\xfe.example/", '42501', qr/^host "\\xff\\xfe\.example" port 80 is not allowed$/ ],
	[ 'a URL of 10 kB', 'http://127.0.0.1/' . 'x' x 10_000, '38000', qr/HTTP status 302$/ ])
{
	my ($name, $to, $sqlstate, $message) = @$case;
	bad("a redirect to $name", $sqlstate, $message, [ raw("HTTP/1.1 302 Go\r\nLocation: $to\r\nContent-Length: 0\r\n\r\n") ], set => $follow);
}
bad('a redirect without a location', '38000', qr/HTTP status 302$/, [ raw("HTTP/1.1 302 Go\r\nContent-Length: 0\r\n\r\n") ], set => $follow, hint => qr/named no location/);
good('a redirect with a body without end', '3|ok', [ again("HTTP/1.1 302 Go\r\nLocation: /json\r\n\r\n", 'x') ], set => $follow);
good('a redirect with a body that is cut', '3|ok', [ raw("HTTP/1.1 302 Go\r\nLocation: /json\r\nContent-Length: 100\r\n\r\nno") ], set => $follow);
good('two locations', '3|ok', [ raw("HTTP/1.1 302 Go\r\nLocation: /nowhere\r\nLocation: /json\r\nContent-Length: 0\r\n\r\n") ], set => $follow);

# What is no JSON
my $not_json = qr/^the body of http:\S+ is not the JSON that was expected: /;
for my $case (
	[ 'HTML', '<!DOCTYPE html><html><body>no</body></html>' ],
	[ 'XML', '<?xml version="1.0"?><rows/>' ],
	[ 'CSV', "id,x\n1,1.5\n" ],
	[ 'a picture', "\x89PNG\r\n\x1a\n\0\0\0\rIHDR" ],
	[ 'zeros', "\0" x 100 ],
	[ 'words', 'Internal Server Error' ],
	[ 'JSONP', "callback($rows)" ],
	[ 'a comment', "/* rows */ $rows" ],
	[ 'single quotes', "[{'id':1}]" ],
	[ 'a key without quotes', '[{id:1}]' ],
	[ 'NaN', '[{"id":1,"x":NaN}]' ],
	[ 'Infinity', '[{"id":1,"x":-Infinity}]' ],
	[ 'True', '[{"id":True}]' ],
	[ 'a leading zero', '[{"id":01}]' ],
	[ 'a plus sign', '[{"id":+1}]' ],
	[ 'a number that ends with a point', '[{"id":1.}]' ],
	[ 'a number that begins with a point', '[{"id":.5}]' ],
	[ 'a minus alone', '[{"id":-}]' ],
	[ 'an exponent of no digits', '[{"id":1e}]' ],
	[ 'a hexadecimal number', '[{"id":0x10}]' ],
	[ 'a comma at the end', '[{"id":1},]' ],
	[ 'a comma at the end of a row', '[{"id":1,}]' ],
	[ 'no comma', '[{"id":1}{"id":2}]' ],
	[ 'no colon', '[{"id" 1}]' ],
	[ 'a bracket too many', '[{"id":1}]]' ],
	[ 'a bracket of another kind', '[{"id":1]]' ],
	[ 'something after the rows', "$rows<html>" ],
	[ 'two documents', "$rows$rows" ],
	[ 'a raw line end in a string', qq([{"id":1,"x":"a\nb"}]) ],
	[ 'an escape that is none', '[{"id":1,"x":"\\x41"}]' ],
	[ 'an escape of three digits', '[{"id":1,"x":"\\u041"}]' ])
{
	my ($name, $body) = @$case;
	bad("no JSON: $name", '22032', $not_json, [ body($body) ], row_type => 'texts', detail => qr/^At byte \d+, after \d+ rows, status 200/);
}
for my $case (
	[ 'in a string', '[{"id":1,"x":"', 0 ],
	[ 'in a key', '[{"id":1,"', 0 ],
	[ 'in a number', '[{"id":1', 0 ],
	[ 'in a word', '[{"id":nu', 0 ],
	[ 'after a row', '[{"id":1}', 1 ],
	[ 'after a comma', '[{"id":1},', 1 ],
	[ 'in an escape', '[{"id":1,"x":"\\u00', 0 ],
	[ 'in a character', qq([{"id":1,"x":"\xe2\x82), 0 ],
	[ 'in a line', qq({"id":1}\n{"id":), 1 ])
{
	my ($name, $body, $whole) = @$case;
	bad("JSON cut $name", '22032', qr/^the JSON of http:\S+ is truncated after $whole @{[$whole == 1 ? 'row' : 'rows']}$/, [ body($body) ], row_type => 'texts', detail => qr/^It ends at byte @{[length $body]}: /);
}

# Characters
for my $case (
	[ 'latin1', "\xe9" ],
	[ 'latin1, told by the type', "\xe9", 'application/json; charset=iso-8859-1' ],
	[ 'FF FE', "\xff\xfe" ],
	[ 'an overlong form', "\xc0\xaf" ],
	[ 'a surrogate in UTF-8', "\xed\xa0\x80" ],
	[ 'beyond U+10FFFF', "\xf4\x90\x80\x80" ],
	[ 'a character cut', "\xe2\x82" ])
{
	my ($name, $bytes, $type) = @$case;
	bad("no UTF-8: $name", '22021', qr/UTF-8/, [ '/json', body => qq([{"id":1,"x":"$bytes"}]), type => $type // 'application/json' ], row_type => 'texts');
}
bad('UTF-16 with its mark', qr/^(22021|22032)$/, $not_json, [ body("\xff\xfe$utf16") ]);
bad('UTF-16 without', qr/^(22021|22032)$/, $not_json, [ body($utf16) ]);
bad('UTF-32', qr/^(22021|22032)$/, $not_json, [ body("\xff\xfe\0\0[\0\0\0") ]);
bad('two byte order marks', qr/^(22021|22032)$/, $not_json, [ body("\xef\xbb\xbf\xef\xbb\xbf$rows") ]);
bad('\u0000 for a text', '22P05', qr/./, [ body('[{"id":1,"x":"a\\u0000b"}]') ], row_type => 'texts', context => qr/row 1, column "x"/);
bad('a lone surrogate', '22P05', qr/./, [ body('[{"id":1,"x":"\\ud800"}]') ], row_type => 'texts');
good('charset=utf-16 told of UTF-8', '3|ok', [ '/json', body => $rows, type => 'application/json; charset=utf-16' ]);
good('a type that says HTML over JSON', '3|ok', [ '/json', body => $rows, type => 'text/html' ]);

# What is JSON and no row
for my $case ([ 'a string', '"rows"' ], [ 'a number', '42' ], [ 'null', 'null' ], [ 'true', 'true' ],
	[ 'an array of numbers', '[1,2,3]' ], [ 'an array of arrays', '[[1,1.5]]' ], [ 'an array of nulls', '[null]' ])
{
	my ($name, $body) = @$case;
	bad("no row: $name", '22032', qr/(is not a JSON object|not the JSON that was expected)/, [ body($body) ]);
}
bad('an error object', '38000', qr/status 200 and no row of the expected columns/, ['/ok_error'], detail => qr/relation does not exist/);
bad('an error object after rows', '38000', qr/no row of the expected columns/, [ body('[{"id":1},{"error":"disk full"}]') ], context => qr/row 2/);
bad('columns of unequal length', '22032', qr/"id".*"x"|"x".*"id"/, [ body('{"id":[1,2],"x":[1]}') ]);
bad('a text for a number', '22P02', qr/"one"/, [ body('[{"id":"one"}]') ], context => qr/row 1, column "id"/);
bad('a boolean for a number', '22P02', qr/./, [ body('[{"id":true}]') ], context => qr/row 1, column "id"/);
bad('an object for a number', '22P02', qr/./, [ body('[{"id":1,"x":{"a":1}}]') ], context => qr/row 1, column "x"/);
bad('an array for a number', '22P02', qr/./, [ body('[{"id":1,"x":[1]}]') ], context => qr/row 1, column "x"/);
bad('a fraction for an integer', '22P02', qr/./, [ body('[{"id":1.5}]') ], context => qr/row 1, column "id"/);
bad('a number beyond bigint', '22003', qr/./, [ body('[{"id":9223372036854775808}]') ], context => qr/row 1, column "id"/);
bad('a number beyond float8', '22003', qr/./, [ body('[{"id":1,"x":1e400}]') ], context => qr/row 1, column "x"/);
good('a key twice', '1|ok', [ body('[{"id":7,"id":1}]') ], n => 1);

# How many
bad('one row more', '38000', qr/sent more rows than the 3 that were asked for$/, [ '/rows', extra => 1 ], hint => qr/row_limit/, timed_only => 1);
bad('rows without end', '38000', qr/sent more rows than the 3 that were asked for$/, ['/endless_body']);
bad('empty rows without end', '38000', qr/sent more rows than the 3 that were asked for$/, [ again("$open\[{}", ',{}') ]);
bad('a column without end', '38000', qr/sent more rows than the 3 that were asked for$/, [ again("$open\{\"id\":[1", ',1') ]);
good('fewer rows', '2|short', [ '/rows', total => 2 ]);
good('no row', '0|short', [ body('[]') ]);
good('an empty body', '0|short', [ body('') ]);

# How much
my $too_long = qr/is longer than 4194304 bytes$/;
bad('white space before the rows, without end', '54000', $too_long, [ again($open, ' ') ], set => $limit);
bad('white space between rows, without end', '54000', $too_long, [ again("$open\[{}", "\n") ], set => $limit);
bad('white space after the rows, without end', '54000', $too_long, [ again("$open$rows", ' ') ], set => $limit);
bad('empty lines without end', '54000', $too_long, [ again("$open\{}\n", "\n") ], set => $limit);
bad('columns that nobody wants, without end', '54000', $too_long, [ again("$open\{\"id\":[1]", ',"a":[1]') ], set => $limit);
my $too_large = qr/not the JSON that was expected: .*(long|row)/;
bad('a row of 100 MB', '54000', $too_large, [ '/big', bytes => 100_000_000 ], row_type => 'texts', hint => qr/max_row_bytes/);
bad('a row without end', '54000', $too_large, [ again("$open\[{\"x\":\"", 'x') ], row_type => 'texts', hint => qr/max_row_bytes/);
bad('a row of white space without end', '54000', $too_large, [ again("$open\[{", ' ') ], hint => qr/max_row_bytes/);
bad('a row of a million keys', '54000', $too_large, [ again("$open\[{\"a\":1", ',"a":1', times => 1_000_000, end => '}]') ], hint => qr/max_row_bytes/);
bad('a key of 10 MB', '54000', $too_large, [ again("$open\[{\"", 'k', times => 10_000_000, end => '":1}]') ], hint => qr/max_row_bytes/);
bad('a column whose name is 10 MB', '54000', $too_large, [ again("$open\{\"", 'k', times => 10_000_000, end => '":[1]}') ], hint => qr/max_row_bytes/);
bad('a number of 10 MB', '54000', $too_large, [ again("$open\[{\"x\":", '1', times => 10_000_000, end => '}]') ], hint => qr/max_row_bytes/);
bad('a number of 1 MB for a bigint', '22003', qr/^.{1,2000}$/, [ again("$open\[{\"id\":", '1', times => 1 << 20, end => '}]') ], context => qr/row 1, column "id"/);
bad('a number of 1 MB for a float8', '22003', qr/^.{1,2000}$/, [ again("$open\[{\"x\":", '1', times => 1 << 20, end => '}]') ], context => qr/row 1, column "x"/);
bad('a number of 1 MB for a numeric', '22003', qr/^value overflows numeric format$/, [ again("$open\[{\"x\":", '1', times => 1 << 20, end => '}]') ], row_type => 'numbers', context => qr/row 1, column "x"/);
bad('a text of 1 MB for a bigint', '22P02', qr/^.{1,2000}$/, [ again("$open\[{\"id\":\"", 'x', times => 1 << 20, end => '"}]') ], context => qr/row 1, column "id"/);
bad('a numeric of a billion digits by its exponent', '22003', qr/./, [ body('[{"x":1e1000000000}]') ], row_type => 'numbers');
bad('a numeric of a huge exponent for a bigint', '22003', qr/./, [ body('[{"id":1e999999999999999999999}]') ]);
my $too_deep = qr/nest/;
bad('a million arrays within each other', '54000', $too_deep, [ '/deep', depth => 1_000_000 ], row_type => 'documents');
bad('arrays within each other without end', '54000', $too_deep, [ again("$open\[{\"x\":", '[') ], row_type => 'documents');
bad('objects within each other without end', '54000', $too_deep, [ again("$open\[{\"x\":1,\"a\":", '{"a":') ], row_type => 'documents');
bad('arrays within each other where no column wants them', '54000', $too_deep, [ again("$open\[{\"id\":1,\"a\":", '[') ]);
good('200 arrays within each other', '1|ok', [ '/deep', depth => 200 ], row_type => 'documents', n => 1);

# --- running it ----------------------------------------------------------------------

my @defaults = (
	[ connect_timeout => '10s' ], [ stall_timeout => '60s' ], [ timeout => '0' ],
	[ max_response_bytes => '32GB' ], [ follow_redirects => 'off' ]);

sub statement
{
	my ($case, $verify) = @_;
	my ($where, @parameters) = @{ $case->{address} };
	my $url = $where =~ /^http/ ? $where : $server->url($where, @parameters);

	return fetch_call(
		'rows, status', $url, $case->{n} // 3,
		row_type => literal($case->{row_type} // 'points'),
		page_rows => $case->{page_rows},
		verify => $verify ? 'true' : undef);
}

# Puts the case's settings into force, or those of before it.
sub set_for
{
	my ($case) = @_;
	my %own = %{ $case->{set} // {} };

	return join '; ', map { "SET pg_transferbench.$_->[0] = '" . ($own{ $_->[0] } // $_->[1]) . "'" }
	  grep { exists $own{ $_->[0] } } @defaults;
}

# What was wrong with the outcome of a case, as a list of texts.
sub faults_of
{
	my ($case, $result) = @_;
	my @faults;

	return ('the connection was lost') if $result->{lost};
	if (defined $case->{result})
	{
		return () if !$result->{error} && $result->{output} eq $case->{result};
		return "'$result->{output}' $result->{errors}, not '$case->{result}'";
	}
	return "succeeded with '$result->{output}'" unless $result->{error};
	for my $field (grep { exists $case->{$_} } qw(sqlstate message detail hint context))
	{
		my $got = $result->{error}{$field} // '';
		my $fits = ref $case->{$field} ? $got =~ $case->{$field} : $got eq $case->{$field};
		push @faults, "$field is '$got', not $case->{$field}" unless $fits;
	}
	return @faults;
}

# One assertion: the case has its outcome, in time.
sub behaves
{
	my ($case, $verify) = @_;
	my $start = time();
	my $result = $session->run(statement($case, $verify));
	my $seconds = time() - $start;
	my @faults = faults_of($case, $result);

	push @faults, sprintf('it took %.1f s', $seconds) if $seconds > BOUND_S;
	ok(!@faults, ($verify ? 'verified: ' : '') . $case->{name})
	  or diag(join "\n", map { substr $_, 0, 600 } @faults);
	return;
}

my $good = fetch_call('rows, status', $server->url('/rows'), 3, row_type => "'points'");

# loads the module, so that its settings are there
succeeds($session, $good, '3|ok', 'a good fetch before all of them');
$session->value("SET client_min_messages = 'error'");
my $peak = peak_memory($session->pid);
for my $case (@table)
{
	my $settings = set_for($case);

	$session->value($settings) if $settings;
	behaves($case, 0);
	behaves($case, 1) unless $case->{timed_only};
	$session->value(set_for({ set => { map { @$_ } @defaults } })) if $settings;
	my $result = $session->run($good);
	is($result->{output}, '3|ok', "and then a good fetch: $case->{name}") or diag($result->{errors});
}
if (UNDER_VALGRIND)
{
	done_testing();
	exit;
}
cmp_ok(peak_memory($session->pid) - $peak, '<', PEAK_TOLERANCE, 'the peak of all of them is bounded');

# --- a thousand times -----------------------------------------------------------------

# Threads, descriptors and sockets of a process, beside its memory.
sub belongings
{
	my ($pid) = @_;
	my ($threads) = slurp_file("/proc/$pid/status") =~ /^Threads:\s+(\d+)/m;
	my $sockets = grep { (readlink($_) // '') =~ /^socket:/ } glob "/proc/$pid/fd/*";

	return { threads => $threads, descriptors => open_descriptors($pid), sockets => $sockets };
}

my @failing = grep { !defined $_->{result} && !$_->{once} } @table;
my $calls = 0;

# Every failing case once; how many of them had another outcome than theirs.
sub fail_a_round
{
	my $wrong = 0;

	for my $case (@failing)
	{
		my $settings = set_for($case);

		$session->value($settings) if $settings;
		my @faults = faults_of($case, $session->run(statement($case, 0)));
		diag("$case->{name}: @faults") if @faults;
		$wrong++ if @faults;
		$calls++;
		$session->value(set_for({ set => { map { @$_ } @defaults } })) if $settings;
	}
	return $wrong;
}

fail_a_round();    # caches fill, the heap takes its shape
my ($memory, $before) = (private_memory($session->pid), belongings($session->pid));
my $wrong = 0;
$calls = 0;
$wrong += fail_a_round() while $calls < CALLS;
is($wrong, 0, "each of $calls failing calls fails as before");
cmp_ok(private_memory($session->pid) - $memory,
	'<', MEMORY_TOLERANCE, 'memory is flat over a thousand failing calls');
is_deeply(belongings($session->pid), $before, 'threads, descriptors and sockets are as they were');
succeeds($session, $good, '3|ok', 'a good fetch after all of them');

done_testing();
