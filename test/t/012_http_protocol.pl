# What happens to a request: statuses, cuts, silence, limits, redirects,
# retries, compression, TLS. Each behaviour with its SQLSTATE and message.
use strict;
use warnings FATAL => 'all';

use PostgreSQL::Test::Utils;
use Test::More;

use TransferBench;

my $directory = PostgreSQL::Test::Utils::tempdir();
my $resolver = build_resolver($directory);

# proxies of the environment lead nowhere: what works below works without them
my %proxies = map { $_ => 'http://127.0.0.1:1/' } qw(http_proxy https_proxy all_proxy ALL_PROXY);
my $node =
  start_node('protocol', environment => { %proxies, $resolver ? (LD_PRELOAD => $resolver) : () });
my $server = start_http_server();
my $session = TransferBench::Session->new($node);

$session->value('CREATE TABLE points (id bigint, x float8)');
$session->value('CREATE TABLE texts (id bigint, x text)');
$session->value('SET pg_transferbench.stall_timeout = 300');
$session->value('SET pg_transferbench.connect_timeout = 500');

my $whole = $session->value(
	extract_call(
		'digest', 'SELECT i::bigint AS id, i + 0.5::float8 AS x FROM generate_series(1, 3) AS i',
		3, verify => 'true'));

sub fetch
{
	my ($url, %options) = @_;
	my $n = delete $options{n} // 3;

	return fetch_call('rows, status', $url, $n, row_type => "'points'", %options);
}

sub verified_fetch
{
	my ($url, %options) = @_;

	return fetch_call(
		'rows, status, digest', $url, 3,
		row_type => "'points'",
		verify => 'true',
		%options);
}

# --- answers that are as good as any ------------------------------------------------

my @good = (
	[ 'Content-Length', '/json' ],
	[ 'chunked', '/chunked' ],
	[ 'chunked, one byte each', '/chunked', chunk => 1 ],
	[ 'chunk extensions are ignored', '/chunked', mode => 'extension' ],
	[ 'trailers are ignored', '/chunked', mode => 'trailer' ],
	[ 'HTTP/1.0, ended by the connection', '/http10' ],
	[ 'interim answers come first', '/interim' ],
	[ 'gzip', '/gzip' ],
	[ 'gzip, stored', '/gzip', level => 0 ],
	[ 'gzip in several members', '/gzip', members => 3 ],
	[ 'gzip, chunked', '/chunked', encoding => 'gzip', chunk => 1 ],
	[ 'gzip, one byte at a time', '/drip', encoding => 'gzip', delay_ms => 0 ],
	[ 'x-gzip', '/json', encoding => 'x-gzip' ],
	[ 'GZIP in capitals', '/json', encoding => 'GZIP' ],
	[ 'deflate', '/json', encoding => 'deflate' ],
	[ 'identity', '/json', encoding => 'identity' ]);

for my $case (@good)
{
	my ($name, @url) = @$case;
	succeeds($session, verified_fetch($server->url(@url)), "3|ok|$whole", "fine: $name");
}

succeeds($session, fetch($server->url('/rows')), '3|ok', 'proxies of the environment are ignored');

# --- answers that are none -----------------------------------------------------------

my $html = '<html><body>Bad Gateway, said the <b>proxy</b></body></html>';
my @failures = (

	# name, SQLSTATE, message or other field, path and parameters
	[ 'status 404', '38000', qr/404/, '/status/404' ],
	[ 'status 500', '38000', qr/500/, '/status/500' ],
	[ 'status 502 with HTML', '38000', qr/502/, '/status/502', body => $html ],
	[   'status 400 with a JSON error', '38000', qr/400/, '/json',
		status => 400,
		body => '{"error":"no such column"}' ],
	[ 'status 304', '38000', qr/304/, '/status/304', body => '' ],
	[ '200 with an error object', '38000', qr/status 200/, '/ok_error' ],
	[   '200 with error and detail',
		'38000', qr/status 200/, '/json', body => '{"error":"timeout","detail":"of the query"}' ],
	[ '200 with HTML', '22032', qr/"<"/, '/json', body => $html, type => 'text/html' ],
	[ 'silence after the request', '08006', qr/sent nothing for/, '/accept_only' ],
	[ 'silence after the headers', '08006', qr/sent nothing for/, '/stall' ],
	[ 'silence within the body', '08006', qr/sent nothing for/, '/stall', after => 20 ],
	[ 'headers without end', '54000', qr/header/i, '/endless_headers' ],
	[ 'a trailer without end', '54000', qr/header/i, '/chunked', mode => 'endless_trailer' ],
	[ 'a header of 1 MB', '54000', qr/header/i, '/large_header' ],
	[ 'rows without end', '38000', qr/more .*rows/i, '/endless_body' ],
	[ 'four rows where three were asked for', '38000', qr/more .*rows/i, '/rows', extra => 1 ],
	[ 'brotli', '38000', qr/\bbr\b/, '/json', encoding => 'br' ],
	[ 'zstd', '38000', qr/zstd/, '/json', encoding => 'zstd' ],
	[ 'gzip in gzip', '38000', qr/gzip/, '/json', encoding => 'gzip+gzip' ],
	[ 'a bomb of gzip in gzip', '38000', qr/gzip/, '/bomb', nested => 1, mb => 100 ],
	[   'gzip with a wrong checksum', '38000',
		qr/gzip|compress|content.encoding/i, '/gzip',
		damage => 1 ],
	[ 'gzip that is cut', '08006', qr/compressed body .* ends too early/, '/gzip', cut => 4 ],
	[   'gzip cut in the middle', '08006', qr/compressed body .* ends too early/, '/gzip',
		cut => 20 ],
	[   'gzip with something after it', '38000',
		qr/gzip|compress|content.encoding/i, '/gzip',
		trailing => 'more' ],
	[   'gzip that is none',
		'38000', qr/gzip|compress|content.encoding/i,
		'/raw',
		bytes => "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n[{}]" ]);

for my $case (@failures)
{
	my ($name, $sqlstate, $message, @url) = @$case;

	fails_with(
		$session,
		fetch($server->url(@url)),
		{ sqlstate => $sqlstate, message => $message }, $name);
}
succeeds($session, fetch($server->url('/rows')), '3|ok', 'and the session works after all of them');

{
	my $result = $session->run(fetch($server->url('/status/502', body => $html)));
	like(
		join("\n", map { $_ // '' } @{ $result->{error} }{qw(message detail)}),
		qr/Bad Gateway, said the/,
		'the start of an error body is shown');
	$result = $session->run(fetch($server->url('/ok_error')));
	like(
		$result->{error}{detail} // '',
		qr/relation does not exist/,
		'the start of an error object is shown');
	$result = $session->run(fetch($server->url('/status/500', body => 'x' x 100_000)));
	cmp_ok(length $result->{errors}, '<', 5000, 'of a long error body only the start');
	$result =
	  $session->run(fetch($server->url('/status/500', body => "bell\x07 \x1b[31mred \xff")));
	unlike($result->{errors}, qr/[\x07\x1b\xff]/,
		'control characters of an error body are not shown as they are');
	is($result->{error}{sqlstate},
		'38000', 'an error body that is not UTF-8 is no error of its own');
	$result = $session->run(fetch($server->url('/accept_only')));
	like(
		$result->{error}{hint} // '',
		qr/lock|uncommitted|transaction/i,
		'the hint of a stall tells of locks');
}

fails_with(
	$session,
	fetch("http://127.0.0.1:$server->{unanswered_port}/"),
	{ sqlstate => '08001', message => qr/connect|time/i },
	'a connection that is never accepted');
{
	# a port that was free a moment ago
	my $gone = start_http_server();
	my $url = $gone->url('/rows');
	$gone->stop;
	fails_with(
		$session, fetch($url),
		{ sqlstate => '08001', message => qr/connect|refused/i },
		'a connection that is refused');
}
with_setting(
	$session,
	timeout => '400ms',
	sub {
		fails_with(
			$session,
			fetch($server->url('/drip', delay_ms => 20)),
			{   sqlstate => '08006',
				message => qr/within 0\.4 s/,
				hint => qr/pg_transferbench\.timeout/ },
			'a body that comes too slowly for the timeout');
	});
with_setting(
	$session,
	stall_timeout => '0',
	sub {
		with_setting(
			$session,
			timeout => '400ms',
			sub {
				fails_with(
					$session,
					fetch($server->url('/accept_only')),
					{ sqlstate => '08006', message => qr/within 0\.4 s/ },
					'without a stall timeout the timeout ends the silence');
			});
	});
succeeds(
	$session, fetch($server->url('/drip', delay_ms => 10)),
	'3|ok', 'a slow body is not a stalled one');

# --- fewer rows, no rows --------------------------------------------------------------

{
	my $result = succeeds(
		$session, fetch($server->url('/rows', total => 2)),
		'2|short', 'fewer rows than asked for are told as short');
	is_deeply([ map { $_->{severity} } @{ $result->{notices} } ], ['WARNING'], 'and warned of');
}
succeeds($session, fetch($server->url('/json', body => '[]'), n => 0),
	'0|ok', 'no row asked for, none sent');
succeeds($session, fetch($server->url('/json', status => 201, body => '[]'), n => 0),
	'0|ok', 'status 201 without rows');
succeeds($session, fetch($server->url('/status/204', body => ''), n => 0), '0|ok', 'status 204');
succeeds($session, fetch($server->url('/rows'), n => 1), '1|ok', 'one row');
succeeds(
	$session,
	"SELECT count(*), min(rows), count(DISTINCT trial) FROM bench_http_fetch("
	  . literal($server->url('/rows'))
	  . ", 5, trials => 3, row_type => 'points')",
	'3|5|3',
	'several trials');
succeeds(
	$session,
	"SELECT path, trial, rows, bytes, elapsed_ms > 0, rows_per_second > 0, requests, connect_ms >= 0, first_byte_ms >= 0,"
	  . " transfer_ms >= 0, decode_ms >= 0, digest, wire_bytes > bytes, retries, retry_wait_ms, decoder IS NOT NULL, status"
	  . ' FROM bench_http_fetch('
	  . literal($server->url('/json'))
	  . ", 3, row_type => 'points')",
	'http-json|1|3|52|t|t|1|t|t|t|t|(null)|t|0|0|t|ok',
	'every figure of a trial is there');
succeeds(
	$session,
	'SELECT abs(connect_ms + first_byte_ms + transfer_ms + decode_ms - elapsed_ms) < 0.01 FROM bench_http_fetch('
	  . literal($server->url('/rows'))
	  . ", 1000, row_type => 'points')",
	't',
	'the phases sum to the elapsed time');
succeeds(
	$session,
	'SELECT wire_bytes < bytes FROM bench_http_fetch('
	  . literal($server->url('/rows', encoding => 'gzip'))
	  . ", 1000, row_type => 'points')",
	't',
	'compressed bytes are counted as they came');

# the first request warms up
succeeds(
	$session,
	'SELECT trial, rows, rows_per_second > 0, split_part(status, \' \', 1), status ~ \'38000.*500\' FROM bench_http_fetch('
	  . literal($server->url('/flaky', key => 'fetch', fail => '3'))
	  . ", 3, trials => 3, row_type => 'points')",
	"1|3|t|ok|f\n2|(null)|(null)|failed:|t\n3|3|t|ok|f",
	'one trial of three fails, the others count');
{
	# the first request is the verification's, the second warms up
	my $result = succeeds(
		$session,
		'SELECT rows_equal, trials_failed, http_ms > 0, toll > 0 FROM bench_compare('
		  . literal($server->url('/flaky', key => 'compare', fail => '4'))
		  . ", '{3}', trials => 3, query => 'SELECT i::bigint AS id, i + 0.5::float8 AS x FROM generate_series(1, 3) AS i')",
		't|1|t|t',
		'one trial of a comparison fails, the others count');
	ok( (   grep {
					 $_->{severity} eq 'WARNING'
				  && $_->{message} =~ /incomplete/
				  && $_->{detail} =~ /500/
			} @{ $result->{notices} }),
		'and a warning says that the run is incomplete') or diag($result->{errors});
}

# --- what is sent ----------------------------------------------------------------------

sub requests_of
{
	my ($sql) = @_;

	$server->forget_requests;
	my $result = $session->run($sql);
	diag($result->{errors}) if $result->{error};
	return $server->requests;
}

{
	my @requests = requests_of(fetch($server->url('/rows')));
	is(scalar @requests, 1, 'one request per trial');
	is($requests[0]{line}, 'GET /rows?row_limit=3 HTTP/1.1', 'row_limit is appended');
	is($requests[0]{headers}{'accept-encoding'},
		undef, 'compression is not asked for unless told to');
	like($requests[0]{headers}{accept} // '', qr{application/json}, 'JSON is asked for');
	like($requests[0]{headers}{'user-agent'} // '',
		qr/pg_transferbench/, 'the client says who it is');
	is($requests[0]{headers}{expect}, undef, 'no Expect');

	my @lines = map { $_->{line} } requests_of(fetch($server->url('/rows', total => 9)));
	is_deeply(
		\@lines,
		['GET /rows?total=9&row_limit=3 HTTP/1.1'],
		'row_limit is appended to other parameters');
	@lines = map { $_->{line} } requests_of(fetch($server->url('/rows') . '?n={n}'));
	is_deeply(\@lines, ['GET /rows?n=3 HTTP/1.1'], '{n} is replaced');

	@requests = requests_of(fetch($server->url('/rows', total => 5), n => 5, page_rows => 2));
	is_deeply(
		[ map { $_->{line} =~ s/ HTTP.*//r } @requests ],
		[ map { "GET /rows?total=5&row_limit=$_" } '2&offset=0', '2&offset=2', '1&offset=4' ],
		'page_rows makes a request per page');
	is_deeply([ map { $_->{sequence} } @requests ], [ 1, 2, 3 ], 'over one kept-alive connection');
	succeeds(
		$session,
		fetch_call(
			'rows, requests, status', $server->url('/rows', total => 5), 5,
			row_type => "'points'",
			page_rows => 2),
		'5|3|ok',
		'the trial counts its requests');
	@requests =
	  requests_of(fetch($server->url('/rows') . '?n={n}&offset={offset}', n => 5, page_rows => 2));
	is_deeply(
		[ map { $_->{line} =~ s/ HTTP.*//r } @requests ],
		[ map { "GET /rows?n=$_" } '2&offset=0', '2&offset=2', '1&offset=4' ],
		'{n} and {offset} are replaced in every page');
	my $paged = $session->value(
		fetch_call(
			'digest', $server->url('/rows'), 7,
			row_type => "'points'",
			page_rows => 3,
			verify => 'true'));
	succeeds($session,
		fetch_call('digest', $server->url('/rows'), 7, row_type => "'points'", verify => 'true'),
		$paged, 'the rows of all pages are the rows of one request');
	{
		my $result =
		  succeeds($session, fetch($server->url('/rows', total => 3), n => 8, page_rows => 2),
			'3|short', 'a page that comes short ends the trial');
		is_deeply([ map { $_->{severity} } @{ $result->{notices} } ],
			['WARNING'], 'and is warned of');
	}

	@requests = requests_of(
		fetch(
			$server->url('/rows'),
			headers => literal('{"X-Test":"yes","Authorization":"Bearer t0ps3cret"}')));
	is($requests[0]{headers}{'x-test'}, 'yes', 'a header is sent');
	@requests = requests_of(
		fetch(
			$server->url('/rows'),
			headers => literal('{"Accept-Encoding":"gzip","accept":"text/plain"}')));
	is($requests[0]{headers}{'accept-encoding'}, 'gzip', 'compression can be asked for');
	is($requests[0]{headers}{accept},
		'text/plain', 'a header replaces ours of the same name, whatever its case');
	@requests = requests_of(
		fetch(
			$server->url('/rows'),
			headers => literal('{"X-Test":"yes","Authorization":"Bearer t0ps3cret"}')));
	is($requests[0]{headers}{authorization}, 'Bearer t0ps3cret', 'a token is sent');
}
for my $value ('a\r\nX-Injected: 1', 'a\nb', 'a\rb')
{
	fails_with(
		$session,
		fetch($server->url('/rows'), headers => literal("{\"X-Test\":\"$value\"}")),
		{ sqlstate => '22023' },
		"a header value with a line break is refused: $value");
}
for my $headers ('{"X Y":"1"}', '{"":"1"}', '{"X:Y":"1"}', '{"X-Test":{"a":1}}', '["X-Test"]',
	'"X-Test"')
{
	fails_with(
		$session,
		fetch($server->url('/rows'), headers => literal($headers)),
		{ sqlstate => '22023' },
		"headers that are none are refused: $headers");
}

# --- URLs and hosts ---------------------------------------------------------------------

my $port = $server->port;
for my $case (
	[ 'file:///etc/passwd', '22023', qr/scheme/ ],
	[ "gopher://127.0.0.1:$port/x", '22023', qr/scheme/ ],
	[ "ftp://127.0.0.1/x", '22023', qr/scheme/ ],
	[ "127.0.0.1:$port/rows", '22023', qr/scheme/ ],
	[ '/rows', '22023', qr/scheme/ ],
	[ '', '22023', qr/scheme/ ],
	[ 'http://', '22023', qr/malformed: .*host/i ],

	# libcurl reads more slashes than two as two
	[ 'http:///rows', qr/^(22023|42501)$/, qr/malformed|host "rows" port 80 is not allowed/ ],
	[ 'http://127.0.0.1:99999/', '22023', qr/malformed: .*port/i ],
	[ 'http://127.0.0.1:abc/', '22023', qr/malformed: .*port/i ],
	[ "http://127.0.0.1:$port/a b", '22023', qr/malformed/ ],
	[ "http://127.0.0.1:$port/\r\nX: y", '22023', qr/malformed/ ],
	[ "http://user:t0ps3cret\@127.0.0.1:$port/rows", '22023', qr/must not contain a user/ ],
	[ "http://t0ps3cret\@127.0.0.1:$port/rows", '22023', qr/must not contain a user/ ],
	[ 'http://[fe80::1]/', '42501', qr/^host "fe80::1" port 80 is not allowed$/ ],
	map { [ "http://$_/latest/meta-data/", '42501', qr/^host "\Q$_\E" port 80 is not allowed$/ ] } (
		'192.0.2.1', 'example.invalid', 'localhost.example.invalid', '127.0.0.1.example.invalid',
		'169.254.169.254', '0.0.0.0', '2130706433.example.invalid'))
{
	my ($url, $sqlstate, $message) = @$case;
	my $shown = $url =~ s/$port/PORT/r =~ s/[\r\n]+/<CRLF>/r;
	my $result = fails_with(
		$session, fetch($url),
		{ sqlstate => $sqlstate, message => $message },
		"URL refused: '$shown'");
	unlike($result->{errors}, qr/t0ps3cret/, "and its user is not repeated: '$shown'")
	  if $url =~ /\@/;
	like($result->{error}{hint} // '',
		qr/credentials_file/, "and a hint tells where to: '$shown'")
	  if $url =~ /\@/;
}
fails_with(
	$session,
	fetch('http://example.invalid/'),
	{ sqlstate => '42501', hint => qr/allowed_hosts/ },
	'the hint of a refused host names the setting');
succeeds($session, fetch("http://localhost:$port/rows"), '3|ok', 'localhost by name is allowed');

with_setting(
	$session,
	allowed_hosts => "127.0.0.1:$port",
	sub {
		succeeds($session, fetch($server->url('/rows')), '3|ok', 'an allowed port');
		fails_with(
			$session,
			fetch("http://127.0.0.1:$server->{unanswered_port}/"),
			{ sqlstate => '42501' },
			'a port that is not allowed');
		fails_with(
			$session,
			fetch("http://localhost:$port/rows"),
			{ sqlstate => '42501' },
			'a name that is not allowed, though its address is');
	});
with_setting(
	$session,
	allowed_hosts => '*.0.0.1',
	sub {
		fails_with(
			$session,
			fetch($server->url('/rows')),
			{ sqlstate => '42501' },
			'the digits of an address are not below a domain');
	});
with_setting(
	$session,
	allowed_hosts => 'example.invalid',
	sub {
		fails_with(
			$session,
			fetch('http://example.invalid../'),
			{ sqlstate => '42501' },
			'two dots make another name');
	});
SKIP:
{
	skip 'names that lead elsewhere: no compiler for the resolver', 1 unless $resolver;

	with_setting(
		$session,
		allowed_hosts => '*.test',
		sub {
			fails_with(
				$session,
				fetch('http://unknown.test/'),
				{ sqlstate => '08001', message => qr/resolve/i },
				'a name below an allowed domain is looked up');
			fails_with(
				$session,
				fetch('http://a.b.test/'),
				{ sqlstate => '08001', message => qr/resolve/i },
				'two levels below as well');
			fails_with(
				$session, fetch('http://test/'),
				{ sqlstate => '42501' },
				'the domain itself is not below it');
			fails_with(
				$session, fetch('http://a-test/'),
				{ sqlstate => '42501' },
				'a longer name is not below it');
			fails_with(
				$session,
				fetch("http://loopback.test:$port/rows"),
				{ sqlstate => '42501', message => qr/leads to an address/ },
				'an allowed name that leads to loopback is not dialled');
			fails_with(
				$session,
				fetch('http://metadata.test/'),
				{ sqlstate => '42501', message => qr/leads to an address/ },
				'an allowed name that leads to a metadata address is not dialled');
		});
	with_setting(
		$session,
		allowed_hosts => '*.test, 127.0.0.1',
		sub {
			succeeds(
				$session, fetch("http://loopback.test:$port/rows"),
				'3|ok', 'unless that address is allowed too');
		});
	with_setting(
		$session,
		allowed_hosts => 'stalled.test',
		sub {
			fails_with(
				$session,
				fetch('http://stalled.test/'),
				{ sqlstate => '08001', message => qr/within 0\.5 s/, hint => qr/connect_timeout/ },
				'a name server that never answers');
		});
}
with_setting(
	$session,
	allowed_hosts => '',
	sub {
		fails_with(
			$session, fetch($server->url('/rows')),
			{ sqlstate => '42501' }, 'an empty list allows nothing');
	});
for my $list ('http://a', 'a/b', 'a:99999', 'a:x', '*', '[::1', 'a b')
{
	fails_with(
		$session,
		'SET pg_transferbench.allowed_hosts = ' . literal($list),
		{ sqlstate => '22023' },
		"no list of hosts: '$list'");
}

# --- redirects --------------------------------------------------------------------------

my $other = start_http_server();
for my $status (301, 302, 303, 307, 308)
{
	fails_with(
		$session,
		fetch($server->url('/redirect', status => $status, to => $server->url('/json'))),
		{ sqlstate => '38000', message => qr/redirect/i, hint => qr/follow_redirects/ },
		"status $status is not followed unless told to");
}
with_setting(
	$session,
	follow_redirects => 'on',
	sub {
		for my $status (301, 302, 303, 307, 308)
		{
			succeeds(
				$session,
				verified_fetch(
					$server->url('/redirect', status => $status, to => $server->url('/json'))),
				"3|ok|$whole",
				"status $status is followed when told to");
		}
		succeeds($session, verified_fetch($server->url('/redirect', to => '/json')),
			"3|ok|$whole", 'a relative location');
		succeeds($session, verified_fetch($server->url('/redirect', to => $other->url('/json'))),
			"3|ok|$whole", 'another port that is allowed');
		fails_with(
			$session,
			fetch($server->url('/redirect')),
			{ sqlstate => '38000', message => qr/redirect/i },
			'a loop of redirects');
		fails_with(
			$session,
			fetch($server->url('/redirect', to => 'http://example.invalid/')),
			{ sqlstate => '42501', message => qr/example\.invalid/ },
			'a redirect to a host that is not allowed');
		fails_with(
			$session,
			fetch($server->url('/redirect', to => 'http://169.254.169.254/')),
			{ sqlstate => '42501' },
			'a redirect to a metadata address');
		for my $location (
			'file:///etc/passwd', 'gopher://127.0.0.1/',
			"ftp://127.0.0.1/", 'javascript:alert(1)')
		{
			fails_with(
				$session,
				fetch($server->url('/redirect', to => $location)),
				{ sqlstate => qr/^(38000|42501)$/ },
				"a redirect to $location");
		}
		my $result = fails_with(
			$session,
			fetch($server->url('/redirect', to => "http://user:t0ps3cret\@127.0.0.1:$port/json")),
			{ sqlstate => '38000' },
			'a redirect to a location with a user');
		unlike($result->{errors}, qr/t0ps3cret/, 'whose password is not repeated');
		$other->forget_requests;
		$session->run(
			fetch(
				$server->url('/redirect', to => $other->url('/json')),
				headers => literal('{"Authorization":"Bearer t0ps3cret","X-Api-Key":"t0ps3cret"}'))
		);
		my @seen = $other->requests;
		is(scalar @seen, 1, 'the redirect with a token was followed');
		unlike(join(' ', map { values %{ $_->{headers} } } @seen),
			qr/t0ps3cret/, 'but no header of the caller went to another port');
	});
with_setting(
	$session,
	follow_redirects => 'on',
	sub {
		with_setting(
			$session,
			allowed_hosts => "127.0.0.1:$port",
			sub {
				fails_with(
					$session,
					fetch($server->url('/redirect', to => $other->url('/json'))),
					{ sqlstate => '42501' },
					'a redirect to a port that is not allowed');
			});
	});

# --- retries ----------------------------------------------------------------------------

sub retried
{
	my ($key, @parameters) = @_;

	return
	  'SELECT rows, status, retries, retry_wait_ms >= 900, elapsed_ms < 900, requests FROM bench_http_fetch('
	  . literal($server->url('/retry', key => $key, @parameters))
	  . ", 3, row_type => 'points')";
}

succeeds($session, retried('seconds', after => 1),
	'3|ok|1|t|t|2', '429 with Retry-After in seconds is honoured, its wait not in the sample');
succeeds(
	$session, retried('date', after_date => 2, status => 503),
	qr/^3\|ok\|1\|t\|t\|2$/, '503 with Retry-After as a date likewise');
succeeds($session, retried('twice', after => 0, times => 2),
	qr/^3\|ok\|2\|f\|t\|3$/, 'two retries are counted');
fails_with(
	$session, retried('without'),
	{ sqlstate => '38000', message => qr/429/ },
	'429 without Retry-After is an error');
fails_with(
	$session,
	retried('never', after => 0, times => 1000),
	{ sqlstate => '38000', message => qr/429/ },
	'retries come to an end');
fails_with(
	$session,
	retried('nonsense', after => 'soon'),
	{ sqlstate => '38000', message => qr/429/ },
	'a Retry-After that says nothing');
fails_with(
	$session,
	retried('other_date', after => '06 Nov 2099'),
	{ sqlstate => '38000', message => qr/429/ },
	'a Retry-After that is a date, but none of HTTP');
fails_with(
	$session,
	retried('negative', after => -5),
	{ sqlstate => '38000', message => qr/429/ },
	'a negative Retry-After');
fails_with(
	$session,
	retried('no', after => 0, status => 500),
	{ sqlstate => '38000', message => qr/500/ },
	'status 500 is not retried');
SKIP:
{
	skip 'a Retry-After of an hour is cut to the cap: takes a minute (PG_TEST_EXTRA=slow)', 1
	  unless ($ENV{PG_TEST_EXTRA} // '') =~ /\bslow\b/;
	succeeds($session, retried('hour', after => 3600),
		'3|ok|1|t|t|2', 'a Retry-After of an hour is cut to the cap');
}

# --- limits -----------------------------------------------------------------------------

with_setting(
	$session,
	max_response_bytes => '1MB',
	sub {
		fails_with(
			$session,
			fetch_call('rows', $server->url('/bomb', mb => 100), 1, row_type => "'texts'"),
			{ sqlstate => '54000', message => qr/max_response_bytes|1048576|1 ?MB|1024 ?kB/ },
			'gzip that expands beyond max_response_bytes');
		fails_with(
			$session,
			fetch_call('rows', $server->url('/rows'), 100_000, row_type => "'points'"),
			{ sqlstate => '54000' },
			'a body beyond max_response_bytes');
		fails_with(
			$session,
			fetch_call(
				'rows', $server->url('/endless_body', unit => ' '),
				1, row_type => "'points'"),
			{ sqlstate => '54000' },
			'white space without end');
	});
with_setting(
	$session,
	max_row_bytes => '10kB',
	sub {
		fails_with(
			$session,
			fetch_call('rows', $server->url('/big', bytes => 20_000), 1, row_type => "'texts'"),
			{ sqlstate => '54000', hint => qr/max_row_bytes/ },
			'a row beyond max_row_bytes');
		succeeds($session,
			fetch_call('rows', $server->url('/big', bytes => 10_000), 1, row_type => "'texts'"),
			'1', 'a row just below it');
		fails_with(
			$session,
			fetch_call(
				'rows', $server->url('/json', body => '{"id":[1],"x":["' . 'x' x 20_000 . '"]}'),
				1, row_type => "'texts'"),
			{ sqlstate => '54000' },
			'a value of a column object beyond max_row_bytes');
		fails_with(
			$session,
			fetch_call(
				'rows', $server->url('/endless_body', start => '[{"id":"', unit => 'x'),
				1, row_type => "'texts'"),
			{ sqlstate => '54000' },
			'a row without end');
	});
{
	my $before = private_memory($session->pid);
	fails_with(
		$session,
		fetch_call('rows', $server->url('/bomb', mb => 10000), 1, row_type => "'texts'"),
		{ sqlstate => '54000' },
		'gzip that expands to 10 GB is stopped by the defaults');
	cmp_ok(private_memory($session->pid) - $before, '<', 100 << 20, 'and its memory given back');
}
fails_with(
	$session,
	fetch_call('rows, bytes', $server->url('/big', bytes => 10 << 20), 1, row_type => "'texts'"),
	{ sqlstate => '54000', hint => qr/max_row_bytes/ },
	'one row of 10 MB is over the default limit');
with_setting(
	$session,
	max_row_bytes => '16MB',
	sub {
		succeeds(
			$session,
			fetch_call('rows, bytes', $server->url('/big', bytes => 10 << 20), 1, row_type => "'texts'"),
			'1|' . ((10 << 20) + 17),
			'and comes whole when the limit is raised');
	});

# --- arguments --------------------------------------------------------------------------

my $url = $server->url('/rows');
for my $case (
	[ 'n = -1', literal($url) . ', -1', '22023' ],
	[ 'n NULL', literal($url) . ', NULL', '22004' ],
	[ 'n beyond the limit', literal($url) . ', 9223372036854775807', '22023' ],
	[ 'url NULL', 'NULL, 1', '22004' ],
	[ 'trials = 0', literal($url) . ', 1, trials => 0', '22023' ],
	[ 'trials = -1', literal($url) . ', 1, trials => -1', '22023' ],
	[ 'trials NULL', literal($url) . ', 1, trials => NULL', '22004' ],
	[ 'page_rows = 0', literal($url) . ', 1, page_rows => 0', '22023' ],
	[ 'page_rows = -1', literal($url) . ', 1, page_rows => -1', '22023' ],
	[ 'an unknown decoder', literal($url) . ", 1, decoder => 'simplest'", '22023' ],
	[   'a row_type without columns',
		literal($url) . ", 1, row_type => 'pg_toast.pg_toast_2619_index'",
		qr/^(22023|42809)$/ ])
{
	my ($name, $arguments, $sqlstate) = @$case;
	fails_with(
		$session,
		"SELECT * FROM bench_http_fetch($arguments)",
		{ sqlstate => $sqlstate },
		"arguments: $name");
}

# --- TLS --------------------------------------------------------------------------------

SKIP:
{
	skip 'TLS: openssl(1) is not installed', 1
	  unless eval { IPC::Run::run([ 'openssl', 'version' ]) };

	my %names = (subject_alternative_name => 'DNS:localhost,IP:127.0.0.1');
	my @good = make_certificate($directory, 'good', %names);
	my @old = make_certificate($directory, 'old', %names, expired => 1);
	my @alien = make_certificate($directory, 'alien',
		subject_alternative_name => 'DNS:other.example.invalid');
	my %tls = (
		good => start_http_server(certificate => $good[0], key => $good[1]),
		old => start_http_server(certificate => $old[0], key => $old[1]),
		alien => start_http_server(certificate => $alien[0], key => $alien[1]));

	fails_with(
		$session,
		fetch($tls{good}->url('/json')),
		{ sqlstate => '08001', message => qr/certificate|TLS|SSL/i, hint => qr/ca_file/ },
		'TLS: a self-signed certificate');
	with_setting(
		$session,
		ca_file => $good[0],
		sub {
			succeeds(
				$session, verified_fetch($tls{good}->url('/json')),
				"3|ok|$whole", 'TLS: the same with its file named as authority');
			succeeds($session, fetch($tls{good}->url('/json') =~ s/127\.0\.0\.1/localhost/r),
				'3|ok', 'TLS: by name');
		});
	with_setting(
		$session,
		ca_file => $old[0],
		sub {
			fails_with(
				$session,
				fetch($tls{old}->url('/json')),
				{ sqlstate => '08001', message => qr/expired/i },
				'TLS: an expired certificate');
		});
	with_setting(
		$session,
		ca_file => $alien[0],
		sub {
			fails_with(
				$session,
				fetch($tls{alien}->url('/json')),
				{ sqlstate => '08001', message => qr/name|match|host|certificate/i },
				'TLS: a certificate of another host');
		});
	with_setting(
		$session,
		ca_file => "$directory/missing.crt",
		sub {
			fails_with(
				$session,
				fetch($tls{good}->url('/json')),
				{ message => qr/missing\.crt/ },
				'TLS: an authority file that is not there');
		});
	with_setting(
		$session,
		tls_verify => 'off',
		sub {
			succeeds(
				$session, fetch($tls{$_}->url('/json')),
				'3|ok', "TLS: unverified when told to: $_") for sort keys %tls;
		});
	fails_with(
		$session,
		fetch($server->url('/json') =~ s/^http/https/r),
		{ sqlstate => '08001' },
		'TLS: a server that speaks none');
	fails_with(
		$session,
		fetch($tls{good}->url('/json') =~ s/^https/http/r),
		{ sqlstate => '08006' },
		'TLS: a server that expects it');
	with_setting(
		$session,
		ca_file => $good[0],
		sub {
			with_setting(
				$session,
				follow_redirects => 'on',
				sub {
					succeeds($session,
						fetch($server->url('/redirect', to => $tls{good}->url('/json'))),
						'3|ok', 'TLS: a redirect up to it');
					fails_with($session,
						fetch($tls{good}->url('/redirect', to => $server->url('/json'))),
						{ sqlstate => '38000', message => qr/from https to http/ },
						'TLS: a redirect down from it');
				});
		});
}

done_testing();
