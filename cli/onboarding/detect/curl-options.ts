/** What an option of curl means for an extraction. */
export type CurlOption =
  | 'address'
  | 'method'
  | 'header'
  | 'body'
  | 'urlencodedBody'
  | 'jsonBody'
  | 'query'
  | 'bodyAsQuery'
  | 'user'
  | 'bearer'
  | 'userAgent'
  | 'referer'
  | 'cookie'
  | 'requestTimeout'
  | 'connectTimeout'
  | 'retries'
  | 'refused'
  | 'lost'
  | 'noEffect'

interface Option {
  meaning: CurlOption
  takesValue: boolean
}

const spellings = (meaning: CurlOption, takesValue: boolean, names: string): [string, Option][] =>
  names.split(' ').map(name => [name, { meaning, takesValue }])

/** The options of curl by name ("curl.1 the man page"), as far as they are seen in commands that read an API. */
export const curlOptions: ReadonlyMap<string, Option> = new Map([
  ...spellings('address', true, '--url'),
  ...spellings('method', true, '-X --request'),
  ...spellings('header', true, '-H --header'),
  ...spellings('body', true, '-d --data --data-ascii --data-raw --data-binary'),
  ...spellings('urlencodedBody', true, '--data-urlencode'),
  ...spellings('jsonBody', true, '--json'),
  ...spellings('query', true, '--url-query'),
  ...spellings('bodyAsQuery', false, '-G --get'),
  ...spellings('user', true, '-u --user'),
  ...spellings('bearer', true, '--oauth2-bearer'),
  ...spellings('userAgent', true, '-A --user-agent'),
  ...spellings('referer', true, '-e --referer'),
  ...spellings('cookie', true, '-b --cookie'),
  ...spellings('requestTimeout', true, '-m --max-time'),
  ...spellings('connectTimeout', true, '--connect-timeout'),
  ...spellings('retries', true, '--retry'),
  ...spellings('refused', true, '-F --form --form-string -T --upload-file --aws-sigv4'),
  ...spellings('refused', false, '-I --head --digest --ntlm --negotiate'),
  ...spellings(
    'lost',
    true,
    '-x --proxy --proxy-user --cacert --capath -E --cert --key --resolve --interface',
  ),
  ...spellings(
    'lost',
    true,
    '--limit-rate --retry-delay --retry-max-time --max-redirs --connect-to -r --range',
  ),
  ...spellings('lost', false, '-k --insecure --proxy-insecure -n --netrc'),
  ...spellings(
    'noEffect',
    false,
    '-s --silent -S --show-error -L --location -v --verbose -i --include -# --basic',
  ),
  ...spellings(
    'noEffect',
    false,
    '-f --fail --fail-with-body --fail-early --compressed --no-progress-meter -O',
  ),
  ...spellings(
    'noEffect',
    false,
    '-g --globoff -N --no-buffer -4 --ipv4 -6 --ipv6 --progress-bar --tcp-nodelay',
  ),
  ...spellings(
    'noEffect',
    false,
    '--http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --remote-name -j',
  ),
  ...spellings('noEffect', false, '--path-as-is --tlsv1.2 --tlsv1.3 --styled-output --retry-connrefused -q'),
  ...spellings(
    'noEffect',
    true,
    '-o --output -w --write-out -D --dump-header -c --cookie-jar --stderr --trace',
  ),
])
