/**
 * What a query may call: functions of its arguments alone. All others are refused, since among them are some that read files, settings, the
 * catalogue of the database, the statement itself or the process, and some that sleep, write or run texts as statements. `*` stands for any end;
 * a test counts those that it takes in.
 */
const ALLOWED = `
  !~~ !~~* % & && * ** + - ->> / // <-> << <=> <@ >> @ @> ^ ^@ | || ~ ~~ ~~* ~~~ !__postfix

  abs acos acosh add asin asinh atan* cbrt ceil ceiling cos cosh cot degrees divide even exp factorial fdiv floor fmod gamma gcd greatest*
  isfinite isinf isnan lcm least* lgamma ln log log10 log2 mod multiply nextafter pi pow power radians random round* sign signbit sin sinh
  sqrt subtract tan tanh trunc xor

  ascii bar base64 bin bit_* bitstring* char_length character_length chr concat* contains damerau_levenshtein decode editdist3 encode ends_with
  format format_bytes formatreadable* from_base64 from_binary from_hex get_bit hamming hash hex ilike_escape instr jaccard jaro_* lcase left
  left_grapheme len length* levenshtein like_escape lower lpad ltrim md5* mismatches nfc_normalize not_* octet_length ord overlay parse_dir*
  parse_filename parse_formatted_bytes parse_path position prefix printf regexp_* repeat replace reverse right* rpad rtrim set_bit sha1
  sha256 split* starts_with str_split* string_* strip_accents strlen strpos substr* suffix to_* translate trim ucase unbin unhex unicode
  upper url_*

  age ago century current_date current_local* date* day* decade epoch* era get_current_time* hour isodow isoyear julian last_day make_date make_time* microsecond
  millennium millisecond minute month* nanosecond normalized_interval now quarter second strftime strptime time_bucket timezone* today
  transaction_timestamp try_strptime week* year*

  coalesce constant_or_null gen_random_uuid ifnull if nullif pg_typeof switch typeof uuid*

  aggregate apply array_* cardinality combine element_at filter flatten generate_* grade_up list* map map_concat map_contains* map_entries
  map_extract* map_from_entries map_keys map_values range reduce row struct_* union_* unnest unpivot_list

  from_json* json json_array* json_contains json_each json_exists json_extract* json_group_* json_keys json_merge_patch json_object json_pretty
  json_quote json_structure json_transform* json_tree json_type json_v* row_to_json

  any_value approx_* arbitrary arg* avg bool_* corr count* covar_* cume_dist dense_rank entropy equi_width_bins favg fill first first_value fsum
  geom* group_concat grouping* histogram histogram_exact kahan_sum kurtosis* lag last last_value lead mad max* mean median min min_by mode
  nth_value ntile percent_rank product quantile* rank* regr_* reservoir_quantile row_number sem skewness stddev* sum sum_no_overflow sumkahan var_* variance wavg
  weighted_avg`

const words = ALLOWED.trim().split(/\s+/)
const isOperator = (word: string): boolean => !/[a-z]/.test(word)
const names = new Set(words)
const beginnings = words
  .filter(word => word.endsWith('*') && !isOperator(word))
  .map(word => word.slice(0, -1))

export const mayCall = (name: string): boolean => {
  const called = name.toLowerCase()
  return names.has(called) || beginnings.some(beginning => called.startsWith(beginning))
}
