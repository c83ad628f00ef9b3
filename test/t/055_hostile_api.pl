# fetch, post and compare against an API that misbehaves: how each misbehaviour ends, in what time and
# memory, that a signal ends each wait, and that no message or report tells a secret.
use strict;
use warnings FATAL => 'all';

use JSON::PP;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

use TransferBench;
use TransferBench::Loader;

plan skip_all => 'no loader: TRANSFERBENCH_PROGRAM is unset' unless endpoint_program();
{
	my $output = qx(@{[endpoint_program()]} serve --help 2>&1);
	plan skip_all => 'the loader was built without serve' if $output =~ /built without/;
}

use constant {
	# what a run may take that ends by a time-out of half a second
	SOON => 15,
	# a stop, as README has it
	AT_ONCE => 1,
	# of the address space, in kB: libraries and buffers, and no answer in full
	MEMORY => 300_000,
};

my $node = start_node('hostile_api', extension => 0);
my $session = TransferBench::Session->new($node);
my $api = start_http_server();
my $elsewhere = start_http_server();
my $directory = PostgreSQL::Test::Utils::tempdir();
my @FORMATS = qw(table json csv markdown);

$session->value($_) for (
	'CREATE TABLE ids (id int PRIMARY KEY, x float8)',
	'INSERT INTO ids SELECT i, i + 0.5 FROM generate_series(1, 3) AS i',
	'CREATE TABLE posted (id int, x float8)',
	# a connection string may hold a password, also where none is asked for
	q(CREATE ROLE loader LOGIN SUPERUSER PASSWORD 'Passw0rd-of-loader'));

my $TOKEN = 'Tok3n-nobody-may-see-0123456789';
my $PASSWORD = 'Passw0rd-of-loader';
my $HEADER = 'H3ader-nobody-may-see';
my $token_file = "$directory/token";
append_to_file($token_file, "$TOKEN\n");
chmod 0600, $token_file;

my @secrets = ('--token-file', $token_file, '--header', "X-Secret: $HEADER");
my @patience = ('--stall-timeout', '500ms', '--request-timeout', '3s', '--retries', 1, '--max-retry-wait', '10ms');
# no part of a secret is told either
my $SECRET = qr/Tok3n-nobody|nobody-may-see|Passw0rd|H3ader/;

# A run on the test's database by a connection string with a password in it.
sub run_secretly
{
	my ($command, @arguments) = @_;
	my $start = time();
	my $run = run_loader({ limits => '-v ' . ($ENV{TRANSFERBENCH_SANITIZED} ? 'unlimited' : MEMORY) }, undef, $command,
		'-d', $node->connstr('postgres') . " user=loader password=$PASSWORD", @arguments);

	$run->{seconds} = time() - $start;
	return $run;
}

my $runs = 0;

# What each format of a report must not hold; one format after another.
sub expect_end
{
	my ($command, $status, $pattern, $name, @arguments) = @_;
	my $format = $FORMATS[ $runs++ % @FORMATS ];
	my $run = run_secretly($command, @arguments, '--format', $format);
	local $Test::Builder::Level = $Test::Builder::Level + 1;

	is($run->{status}, $status, "$command, $name: exit status") or diag($run->{errors});
	like($run->{errors}, $pattern, "$command, $name: says so");
	unlike($run->{output} . $run->{errors}, $SECRET, "$command, $name, report as $format: no secret");
	cmp_ok($run->{seconds}, '<', SOON, "$command, $name: soon");
	return $run;
}

my @fetch = ('--source', 'ids', '--rows', 3, '--paths', 'http-json', '--verify', 'none', '--api', 'template', @patience, @secrets);
my $rows = "$directory/rows";
append_to_file($rows, "1\t1.5\n2\t2.5\n3\t3.5\n");
my @post = ('--file', $rows, '--table', 'posted', '--append', '--verify', 'none', '--api', 'template', @patience, @secrets);

# --- each misbehaviour ---------------------------------------------------------------------------

# Each: name, path and parameters, what fetch says, what post says (undef: rows that cannot be told from
# a success), further arguments of fetch; the exit status is 2.
my $html = qr/HTML|<!DOCTYPE html>|<html>/;
my $lost = qr/broke off|gave no answer/;
my @unterminated = ('body', '[{"id":1,"x":1.5},{"id":2');
for my $case (
	[ 'silence', [ '/accept_only' ], (qr/neither sent nor took a byte for 0.5 s/) x 2 ],
	[ 'silence after the head', [ '/stall', after => 'headers' ], (qr/neither sent nor took a byte for 0.5 s/) x 2 ],
	[ 'silence within the body', [ '/stall', after => 20 ], (qr/neither sent nor took a byte for 0.5 s/) x 2 ],
	[ 'silence before the last chunk', [ '/rows', n => 3, stall => 1 ], (qr/neither sent nor took a byte for 0.5 s/) x 2 ],
	[ 'a drip', [ '/drip', delay_ms => 300 ], (qr/did not answer in full within 3 s/) x 2 ],
	[ 'an endless drip', [ '/endless_body', unit => ' ', start => ' ', delay_ms => 100 ], (qr/did not answer in full within 3 s/) x 2 ],
	[ 'an end without an answer', [ '/close' ], (qr/gave no answer: /) x 2 ],
	[ 'a reset', [ '/reset' ], qr/gave no answer: /, qr/gave no answer: |closed the connection/ ],
	[ 'a reset after the head', [ '/reset', after => 'headers' ], ($lost) x 2 ],
	[ 'a reset within the body', [ '/reset', after => 20 ], ($lost) x 2 ],
	[ 'fewer bytes than Content-Length', [ '/short', length => 1000, send => 600 ], ($lost) x 2 ],
	[ 'bytes that are no HTTP', [ '/raw', bytes => "\x00\xff\x7fELF garbage\r\n\r\n" ], (qr/HTTP\/0\.9|gave no answer|broke off/) x 2 ],
	[ 'a status line that is none', [ '/raw', bytes => "HTTP/1.1 abc\r\n\r\n" ], (qr/127\.0\.0\.1/) x 2 ],
	[ 'a Content-Length that is none', [ '/raw', bytes => "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n[]" ], (qr/Content-Length|broke off/i) x 2 ],
	[ 'a negative Content-Length', [ '/raw', bytes => "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n[]" ], (qr/Content-Length|broke off/i) x 2 ],
	[ 'a Content-Length of 2^64', [ '/raw', bytes => "HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551616\r\n\r\n[" ], (qr/did not answer in HTTP: Content-Length is no number/) x 2 ],
	[ 'two Content-Lengths', [ '/raw', bytes => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 1\r\n\r\n[]" ], (qr/did not answer in HTTP: Content-Length comes twice/) x 2 ],
	[ 'a transfer coding that nobody asked for', [ '/raw', bytes => "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n[]" ], (qr/did not answer in HTTP: Transfer-Encoding is not chunked/) x 2 ],
	[ 'trailers without end', [ '/chunked', mode => 'endless_trailer' ], (qr/header of the answer .* is too long/) x 2 ],
	[ 'an answer to nothing, then silence', [ '/raw', bytes => "HTTP/1.1 100 Continue\r\n\r\n" ], ($lost) x 2 ],
	[ 'another protocol', [ '/raw', bytes => "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\nx" ], (qr/101|broke off|gave no answer/) x 2 ],
	[ 'a bad chunk size', [ '/chunked', mode => 'bad_size' ], ($lost) x 2 ],
	[ 'a huge chunk size', [ '/chunked', mode => 'huge_size' ], ($lost) x 2 ],
	[ 'a wrong chunk size', [ '/chunked', mode => 'wrong_size' ], ($lost) x 2 ],
	[ 'no last chunk', [ '/chunked', mode => 'missing_last' ], ($lost) x 2 ],
	[ 'a cut chunk', [ '/chunked', mode => 'cut' ], ($lost) x 2 ],
	[ 'endless headers', [ '/endless_headers' ], (qr/header of the answer .* is too long/) x 2 ],
	[ 'one large header', [ '/large_header', bytes => 2_000_000 ], (qr/header of the answer .* is too long/) x 2 ],
	[ 'an endless array', [ '/endless_body' ], qr/sent more than 1003 rows where 3 were asked for/, undef ],
	[ 'an endless string', [ '/endless_body', start => '[{"id":1,"x":"', unit => 'x' ], qr/row 1\b/, undef ],
	[ 'endless blanks', [ '/endless_body', start => '[', unit => ' ' ], qr/did not answer in full within 3 s/, undef ],
	[ 'an endless column', [ '/endless_body', start => '{"id":[1', unit => ',1' ], qr/sent a body of more than 10000000 bytes \(see --max-response-bytes\)/, undef, '--max-response-bytes', '10MB' ],
	[ 'endless columns', [ '/endless_body', start => '{"id":[],', unit => '"x":[],' ], qr/"x"/, undef ],
	[ 'a row of 100 MB', [ '/big', bytes => 100_000_000 ], qr/row 1\b/, undef ],
	[ 'gzip that expands to 10 GB in one row', [ '/bomb' ], qr/row 1\b/, undef ],
	[ 'gzip that expands to 10 GB, and a limit', [ '/bomb' ], qr/sent a body of more than 5000000 bytes/, undef, '--max-response-bytes', '5MB' ],
	[ 'gzip in gzip', [ '/bomb', mb => 1000, nested => 1 ], qr/content coding "gzip, gzip"/, qr/content coding "gzip, gzip"/ ],
	[ 'gzip that is corrupt', [ '/gzip', damage => 1 ], (qr/compressed body that is corrupt/) x 2 ],
	[ 'gzip that is cut', [ '/gzip', cut => 10 ], (qr/compressed body that ends too early/) x 2 ],
	[ 'gzip with more after it', [ '/gzip', trailing => 'more' ], (qr/compressed body that is corrupt/) x 2 ],
	[ 'a coding that is not known', [ '/json', encoding => 'br' ], (qr/content coding "br"/) x 2 ],
	[ '10^6 arrays in each other', [ '/deep', depth => 1_000_000 ], qr/levels of nesting in row 1/, undef ],
	[ 'a truncated array', [ '/json', @unterminated ], qr/row 2, found the end of the body/, undef ],
	[ 'a truncated array in chunks', [ '/chunked', mode => 'good', @unterminated ], qr/row 2, found the end of the body/, undef ],
	[ 'an array with more after it', [ '/json', body => '[{"id":1,"x":1}]<html>' ], qr/byte 16|byte 17/, undef ],
	[ 'HTML', [ '/json', body => '<!DOCTYPE html><p>Sign in', type => 'text/html' ], ($html) x 2 ],
	[ 'HTML that says it is JSON', [ '/json', body => '<!DOCTYPE html><p>Sign in' ], $html, undef ],
	[ 'binary', [ '/json', body => join '', map { chr } 0 .. 255 ], qr/HTTP status 200; the body begins: /, undef ],
	[ 'a terminal\'s commands', [ '/status/500', body => "\e]0;title\a\e[2J\r\n\x9b1m" ], (qr/500/) x 2 ],
	[ 'bad UTF-8', [ '/json', body => "[{\"id\":1,\"x\":\"\xff\"}]" ], qr/UTF-8/, undef ],
	[ 'a byte 0', [ '/json', body => "[{\"id\":1,\0\"x\":1}]" ], qr/\\x00|byte/, undef ],
	[ 'a string for a number', [ '/json', body => '[{"id":"one","x":1}]' ], qr/row 1, column "id"/, undef ],
	[ 'an object for a number', [ '/json', body => '[{"id":{"a":1},"x":1}]' ], qr/row 1, column "id"/, undef ],
	[ 'a number out of range', [ '/json', body => '[{"id":1e400,"x":1}]' ], qr/row 1, column "id"/, undef ],
	[ 'an array of numbers', [ '/json', body => '[1,2,3]' ], qr/row 1\b/, undef ],
	[ 'an array of arrays', [ '/json', body => '[[1,2],[3,4],[5,6]]' ], qr/row 1\b/, undef ],
	[ 'null', [ '/json', body => 'null' ], qr/HTTP status 200; the body begins: null/, undef ],
	[ 'nothing', [ '/json', body => '' ], qr/./, undef ],
	[ 'columns of unequal length', [ '/json', body => '{"id":[1,2,3],"x":[1,2]}' ], qr/"id".*"x"|"x".*"id"/, undef ],
	[ 'an error object with status 200', [ '/ok_error' ], (qr/relation does not exist/) x 2 ],
	[ 'fewer rows', [ '/rows', n => 2 ], qr/2 rows came, 3 were asked for/, undef ],
	[ 'more rows', [ '/rows', n => 4 ], qr/sent 4 rows where 3 were asked for/, undef ],
	map({ [ "status $_", [ "/status/$_" ], (qr/\b$_\b/) x 2 ] } 204, 206, 300, 304, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 413, 415, 418, 422, 429, 431, 451, 500, 501, 502, 503, 504, 505, 599, 999),
	map({ [ "a redirect with status $_", [ '/redirect', status => $_, to => $elsewhere->url('/rows', n => 3) ], (qr/\b$_ \(a redirect is not followed\)/) x 2 ] } 301, 302, 303, 307, 308),
	[ 'a redirect to itself', [ '/redirect' ], (qr/\b302\b/) x 2 ],
	[ 'a redirect to a file', [ '/redirect', to => 'file:///etc/passwd' ], (qr/\b302\b/) x 2 ],
	map({ [ "what was sent, in an error with status $_", [ '/echo', status => $_ ], (qr/\*\*\*\*/) x 2 ] } 400, 401, 403, 500, 503),
	map({ [ "what was sent, cut after some of it ($_)", [ '/echo', status => 500, pad => $_ ], (qr/500/) x 2 ] } map { 8 * $_ } 1 .. 16),
	)
{
	my ($name, $where, $fetch_says, $post_says, @arguments) = @$case;

	if ($name !~ /^status 20[46]$/)
	{
		expect_end('fetch', 2, $fetch_says, $name, @fetch, @arguments, '--get-url', $api->url(@$where));
	}
	if (defined $post_says && $name !~ /^status 20[46]$/)
	{
		expect_end('post', 2, $post_says, $name, @post, '--post-url', $api->url(@$where));
	}
}
is(scalar $elsewhere->requests, 0, 'no redirect was followed');
is($session->value('SELECT count(*) FROM posted'), 0, 'nothing was written');
is((grep { ($_->{headers}{authorization} // '') eq "Bearer $TOKEN" } $api->requests) > 0, 1, 'the API itself has got the token');
is(our_tables($session), 0, 'no table of ours is left');

# what an API may answer to a POST without our knowing better: it ends, in bounded time and memory
for my $case (
	[ 'an endless body', [ '/endless_body' ] ], [ 'a row of 100 MB', [ '/big', bytes => 100_000_000 ] ], [ 'gzip that expands to 10 GB', [ '/bomb' ] ], [ 'arrays in each other', [ '/deep', depth => 1_000_000 ] ],
	[ 'binary', [ '/json', body => join '', map { chr } 0 .. 255 ] ])
{
	my ($name, $where) = @$case;
	my $run = run_secretly('post', @post, '--post-url', $api->url(@$where));

	like($run->{status}, qr/^[02]$/, "post, answered by $name: ends");
	unlike($run->{output} . $run->{errors}, $SECRET, "post, answered by $name: no secret");
	cmp_ok($run->{seconds}, '<', SOON, "post, answered by $name: soon");
}

# --- an /info that lies --------------------------------------------------------------------------

for my $case (
	[ 'silence', '/accept_only', qr/neither sent nor took a byte/ ], [ 'an endless body', '/endless_body', qr/longer than \d+ bytes|no JSON object/ ],
	[ 'rows', '/json', qr/no JSON object/ ], [ 'what was sent', '/echo', qr/500/ ], [ 'arrays in each other', '/deep', qr/no JSON object|longer than/ ],
	[ 'a bomb', '/bomb', qr/longer than|no JSON object/ ], [ 'a redirect', '/redirect', qr/302/ ])
{
	my ($name, $path, $says) = @$case;
	my $base = $api->url("/under$path");
	expect_end('post', 1, $says, "an /info of $name", '--rows', 10, '--url', $base, @patience, @secrets);
}

# --- compare -------------------------------------------------------------------------------------

for my $case (
	[ 'silence', [ '/accept_only' ], qr/neither sent nor took a byte/ ], [ 'status 500', [ '/status/500' ], qr/500: <!DOCTYPE/ ],
	[ 'an error object', [ '/ok_error' ], qr/relation does not exist/ ], [ 'what was sent', [ '/echo' ], qr/\*\*\*\*/ ],
	[ 'a redirect', [ '/redirect', to => $elsewhere->url('/rows', n => 3) ], qr/302 \(a redirect is not followed\)/ ], [ 'a reset', [ '/reset', after => 'headers' ], qr/broke off/ ],
	[ 'gzip that is corrupt', [ '/gzip', damage => 1 ], qr/corrupt/ ])
{
	my ($name, $where, $says) = @$case;
	my @arguments = ('--source', 'ids', '--sizes', 3, '--trials', 2, '--paths', 'copy-text,http-json', '--api', 'template', @patience, @secrets);

	expect_end('compare', 2, $says, "reading, $name", @arguments, '--direction', 'read', '--get-url', $api->url(@$where));
	expect_end('compare', 2, $says, "writing, $name", @arguments, '--direction', 'write', '--table', 'compared', '--post-url', $api->url(@$where));
	is(our_tables($session), 0, "compare, writing, $name: no table is left");
}
is(scalar $elsewhere->requests, 0, 'compare: no redirect was followed');

# --- certificates --------------------------------------------------------------------------------

for my $case (
	[ 'an expired certificate', 'IP:127.0.0.1', 1, qr/certificate has expired/ ], [ 'a certificate of another host', 'DNS:elsewhere.example', 0, qr/certificate.*127\.0\.0\.1|no alternative certificate subject name/ ])
{
	my ($name, $for, $expired, $says) = @$case;
	my ($certificate, $key) = make_certificate($directory, $expired ? 'expired' : 'elsewhere', subject_alternative_name => $for, expired => $expired);
	my $tls = start_http_server(certificate => $certificate, key => $key);

	expect_end('fetch', 2, $says, $name, @fetch, '--cacert', $certificate, '--get-url', $tls->url('/rows', n => 3));
	expect_end('post', 2, $says, $name, @post, '--cacert', $certificate, '--post-url', $tls->url('/save'));
	$tls->stop;
}

# --- a signal ends each wait ---------------------------------------------------------------------

# Starts, waits until the API has the request, or a condition holds, and sends SIGINT.
sub interrupt
{
	my ($name, $command, $is_waiting, $arguments, %options) = @_;
	my $run = start_loader(undef, $command, '-d', $node->connstr('postgres') . " user=loader password=$PASSWORD", @$arguments, '--format', 'json');

	wait_until($is_waiting, "$command, $name");
	sleep 0.2;
	my $start = time();
	$run->{harness}->signal('INT');
	finish_loader($run);
	my $seconds = time() - $start;
	is($run->{status}, 2, "SIGINT, $command, $name: exit status") or diag($run->{errors});
	cmp_ok($seconds, '<', $options{seconds} // AT_ONCE, "SIGINT, $command, $name: at once");
	unlike($run->{output} . $run->{errors}, $SECRET, "SIGINT, $command, $name: no secret");
	is(our_tables($session), 0, "SIGINT, $command, $name: no table is left");
	wait_until(sub { $session->value(q(SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'transferbench%')) eq '0' }, 'the end of its connections');
	return $run;
}

sub asked
{
	my ($path) = @_;

	$api->forget_requests;
	return sub { scalar grep { index($_->{line}, $path) >= 0 } $api->requests };
}

for my $case (
	[ 'before the answer', [ '/accept_only' ] ], [ 'after the head', [ '/stall', after => 'headers' ] ], [ 'within the body', [ '/stall', after => 20 ] ],
	[ 'a drip', [ '/drip', delay_ms => 500 ] ], [ 'endless headers, slowly', [ '/stall', after => 'nothing' ] ],
	[ 'endless blanks', [ '/endless_body', start => '[', unit => ' ' ] ],
	[ 'before another try', [ '/retry', key => 'interrupted', times => 99, status => 503, after => 3600 ] ])
{
	my ($name, $where) = @$case;
	my @arguments = ('--source', 'ids', '--rows', 3, '--paths', 'http-json', '--verify', 'none', '--api', 'template', @secrets, '--get-url', $api->url(@$where));
	interrupt($name, 'fetch', asked($where->[0]), \@arguments);
}
interrupt('while connecting', 'fetch', sub { sleep 0.5; 1 },
	[ '--source', 'ids', '--rows', 3, '--paths', 'http-json', '--verify', 'none', '--api', 'template', @secrets, '--get-url', "http://127.0.0.1:$api->{unanswered_port}/" ]);
interrupt('while connecting', 'post', sub { sleep 0.5; 1 },
	[ @post, '--post-url', "http://127.0.0.1:$api->{unanswered_port}/" ]);
interrupt('before another try', 'post', asked('/retry'),
	[ @post, '--retries', 5, '--max-retry-wait', '1h', '--post-url', $api->url('/retry', key => 'interrupted2', times => 99, status => 503, after => 3600) ]);
{
	# what was sent whole is awaited, for ten seconds; the second signal does not wait
	my $arguments = [ grep { !/^(?:--stall-timeout|--request-timeout|500ms|3s)$/ } @post ];
	my $is_waiting = asked('/accept_only');
	my $run = start_loader(undef, 'post', '-d', $node->connstr('postgres') . " user=loader password=$PASSWORD", @$arguments, '--post-url', $api->url('/accept_only'));

	wait_until($is_waiting, 'the request');
	$run->{harness}->signal('INT');
	sleep 0.3;
	my $start = time();
	$run->{harness}->signal('INT');
	finish_loader($run);
	is($run->{status}, 2, 'a second SIGINT, post, before the answer: exit status');
	cmp_ok(time() - $start, '<', AT_ONCE, 'a second SIGINT, post, before the answer: at once');
}
{
	my $arguments = [ grep({ !/^(?:--stall-timeout|--request-timeout|500ms|3s)$/ } @post), '--post-url', $api->url('/accept_only') ];
	interrupt('before the answer', 'post', asked('/accept_only'), $arguments, seconds => 12);
}

# the loader's own endpoint, and a database that keeps it waiting
$session->value($_) for ('CREATE TABLE source (id int PRIMARY KEY, t text)', q{INSERT INTO source SELECT i, repeat('x', 100) FROM generate_series(1, 300000) AS i});
# Directories in /proc of the processes that run the loader.
sub processes
{
	return grep { (readlink("$_/exe") // '') eq endpoint_program() } glob '/proc/[0-9]*';
}

my $served_before = scalar processes();
for my $when (0, 0.5, 2, 4)
{
	my $run = start_loader(undef, 'compare', '-d', $node->connstr('postgres') . " user=loader password=$PASSWORD", '--source', 'source', '--sizes', '1e4,3e5', '--trials', 20);
	wait_until(sub { $session->value(q(SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'transferbench/%')) ne '0' }, 'its connection');
	sleep $when;
	# of parent and child: what everybody may read, and what only their owner may
	for my $process (processes())
	{
		my ($arguments, $environment) = map { eval { slurp_file("$process/$_") } // '' } 'cmdline', 'environ';
		unlike($arguments . $environment, qr/Tok3n/, "compare, after $when s, $process: no token in arguments or environment");
	}
	my $start = time();
	$run->{harness}->signal('INT');
	finish_loader($run);
	# while it still prepares, it is the set-up that fails
	like($run->{status}, $when == 0 ? qr/^[12]$/ : qr/^2$/, "SIGINT, compare, after $when s: exit status") or diag($run->{errors});
	cmp_ok(time() - $start, '<', 3 * AT_ONCE, "SIGINT, compare, after $when s: soon");
	unlike($run->{output} . $run->{errors}, $SECRET, "SIGINT, compare, after $when s: no secret");
	is(our_tables($session), 0, "SIGINT, compare, after $when s: no table is left");
	is(scalar processes(), $served_before, "SIGINT, compare, after $when s: no process is left");
}
{
	my $holder = TransferBench::Session->new($node);

	$holder->value($_) for ('BEGIN', 'LOCK TABLE posted IN ACCESS EXCLUSIVE MODE');
	interrupt('a lock on its table', 'copy', sub { $session->value('SELECT count(*) FROM pg_locks WHERE NOT granted') ne '0' },
		[ '--file', $rows, '--table', 'posted', '--append', '--verify', 'none' ]);
	$holder->value('COMMIT');
	$holder->quit;
}

# --- secrets on the command line -----------------------------------------------------------------

for my $case (
	[ 'a token in the environment', 1, qr/could not connect/, '--token-env', 'API_TOKEN', '--url', 'http://127.0.0.1:1' ],
	[ 'no such variable', 1, qr/API_TOKEN_2/, '--token-env', 'API_TOKEN_2', '--url', 'http://127.0.0.1:1' ],
	[ 'a token as an option', 1, qr/"--token" |--token\b.*ambiguous|option/, "--token=$TOKEN", '--url', 'http://127.0.0.1:1' ],
	[ 'a user in the URL', 1, qr/--url: the URL must not contain a user name or password: pass a token with --token-file/, '--url', "http://me:$TOKEN\@127.0.0.1:1" ],
	[ 'a user alone in the URL', 1, qr/must not contain a user name or password/, '--url', "http://$TOKEN\@127.0.0.1:1" ],
	[ 'a query in the URL', 1, qr/no query/, '--url', "http://127.0.0.1:1/?token=$TOKEN" ],
	[ 'a user of a proxy', 1, qr/--proxy: the URL must not contain a user name or password/, '--url', 'http://127.0.0.1:1', '--proxy', "http://me:$TOKEN\@127.0.0.1:2" ],
	[ 'an Authorization as an argument', 1, qr/warning: --header: all users of this machine can read Authorization where it stands; .*--token-file/, '--url', 'http://127.0.0.1:1', '--header', "Authorization: Basic $TOKEN" ],
	[ 'an API key as an argument', 1, qr/warning: --header: all users of this machine can read apikey where it stands/, '--url', 'http://127.0.0.1:1', '--header', "ApiKey: $TOKEN" ],
	[ 'a token for a header', 1, qr/--header: expected "Name: value"/, '--url', 'http://127.0.0.1:1', '--header', $TOKEN ],
	[ 'a header of two lines', 1, qr/--header: the value of X contains a control character/, '--url', 'http://127.0.0.1:1', '--header', "X: $TOKEN\r\nY: 1" ],
	[ 'a password in a connection string that is wrong', 1, qr/"-d"|-d\b.*cannot be read/, '-d', "host=x pass word=$TOKEN" ],
	[ 'a password in a connection URL that is wrong', 1, qr/cannot be read|could not|failed/, '-d', "postgresql://me:$TOKEN\@127.0.0.1:x/db" ],
	[ 'a password at a server that is not there', 1, qr/failed|refused/, '-d', "postgresql://me:$TOKEN\@127.0.0.1:1/db" ],
	map({ my $mode = $_; [ sprintf('a token file of mode %04o', $mode), 1, qr/must be for its owner alone; run chmod 600/, '--url', 'http://127.0.0.1:1', '--token-file', sprintf('%s/token_%04o', $directory, $mode) ] } 0644, 0640, 0604, 0620, 0602, 0777))
{
	my ($name, $status, $says, @arguments) = @$case;
	for my $mode (0644, 0640, 0604, 0620, 0602, 0777)
	{
		my $file = sprintf '%s/token_%04o', $directory, $mode;
		append_to_file($file, "$TOKEN\n") if !-e $file;
		chmod $mode, $file;
	}
	for my $command ('fetch', 'post')
	{
		my @connection = $arguments[0] eq '-d' ? () : ('-d', $node->connstr('postgres'));
		my @what = $command eq 'fetch' ? ('--source', 'ids', '--paths', 'http-json', '--url', 'http://127.0.0.1:1') : ('--rows', 10, '--url', 'http://127.0.0.1:1');
		my $run = run_loader({ environment => { API_TOKEN => $TOKEN } }, undef, $command, @connection, @what, '--retries', 0, @arguments);

		like($run->{status}, qr/^[12]$/, "$command, $name: exit status");
		like($run->{errors}, $says, "$command, $name: says so");
		unlike($run->{output} . $run->{errors}, $SECRET, "$command, $name: no secret");
	}
}
for my $command ('fetch', 'post', 'compare', 'copy', 'serve', 'cleanup')
{
	my $run = run_loader({ environment => { PGPASSWORD => $PASSWORD, API_TOKEN => $TOKEN } }, undef, $command, '--help');

	is($run->{status}, 0, "$command --help: exit status");
	unlike($run->{output} . $run->{errors}, $SECRET, "$command --help: no secret");
}

done_testing();
