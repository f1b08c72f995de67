/** Cells with what makes CSV hard: quotes, line breaks, commas, and characters of two to four bytes. */
const NOTES = `['', 'leave at the door', 'ring twice, then "knock"', 'first line' || chr(10) || 'second line',
  'größer als erwartet', 'Łódź 🚲', 'none', 'on the phone he said:' || chr(10) || '"never on Sundays"']`

/**
 * SELECT of orders of about 150 bytes of CSV: number, ISO time, UUID, names, amounts and notes. `ids`: SELECT of their
 * numbers as `id`. The same id and `version` give the same row, and each version another status.
 */
export const selectOrders = (ids: string, version = 0): string => `
  SELECT id::VARCHAR AS id,
    strftime(TIMESTAMP '2023-11-14' + to_seconds(id * 31), '%Y-%m-%dT%H:%M:%S.000Z') AS ordered_at,
    regexp_replace(md5(id::VARCHAR), '^(.{8})(.{4})(.{4})(.{4})(.{12})$', '\\1-\\2-\\3-\\4-\\5') AS customer,
    'Zoë Customer ' || hash(id) % 200000 AS name,
    ['Praha', 'Zürich', 'São Paulo', 'New York', 'Łódź', 'Reykjavík'][1 + (hash(id + 1) % 6)::BIGINT] AS city,
    'version ${version}' AS status,
    (hash(id + 2) % 1000000 / 100)::DECIMAL(10, 2)::VARCHAR AS amount,
    ${NOTES}[1 + (hash(id + 3) % 8)::BIGINT] AS note,
    'https://example.com/t/' || id AS tracking_url
  FROM (${ids})`
