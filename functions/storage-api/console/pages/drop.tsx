import { bucketBody } from '#lib/wire/table-body.ts'
import { Field } from '../forms.tsx'
import { page } from '../route.ts'

const delimiters = [
  ['', 'a comma, or a tab in .tsv and .txt'],
  [',', 'comma'],
  [';', 'semicolon'],
  ['tab', 'tab'],
  ['|', 'bar'],
] as const

/** One or several files into a bucket. What is no table is refused before anything is sent. */
export const dropPages = [
  page('/console/drop', async ({ client, query: { table: tableId = '' } }) => {
    const buckets = (await client.list('buckets', bucketBody)).map(({ id }) => id)
    // The table to load into, when the page was opened for one.
    const dot = tableId.lastIndexOf('.')
    const isKnown = dot >= 0
    return {
      title: 'Drop a file',
      body: (
        <>
          <form class="drop" data-drop method="post" action="/console/drop">
            <label class="target">
              CSV files, JSON or Parquet, compressed with gzip or not. Choose them or drop them here.
              <input type="file" name="files" multiple required />
            </label>
            <div class="panel narrow">
              <Field
                label="Bucket"
                name="bucket"
                value={isKnown ? tableId.slice(0, dot) : (buckets[0] ?? 'in.c-main')}
                list="buckets"
                required
                pattern="(in|out)\.c-[A-Za-z0-9_\-]+"
              />
              <datalist id="buckets">
                {buckets.map(id => (
                  <option value={id} />
                ))}
              </datalist>
              <Field
                label="Table; empty: the name of the file"
                name="table"
                value={isKnown ? tableId.slice(dot + 1) : ''}
              />
              <Field label="Primary key, columns separated by commas" name="primaryKey" />
              <Field label="Delimiter" name="delimiter" options={delimiters} />
              <fieldset>
                <legend>The rows that a table has already</legend>
                <Field
                  label="are replaced by those of the file"
                  type="radio"
                  name="incremental"
                  value="0"
                  checked={!isKnown}
                />
                <Field
                  label="stay, but for those with the primary key of a new one"
                  type="radio"
                  name="incremental"
                  value="1"
                  checked={isKnown}
                />
              </fieldset>
              {!isKnown && (
                <Field
                  label="Detect types: a new table keeps numbers, dates and booleans as such, where all values of the file are"
                  type="checkbox"
                  name="detect"
                />
              )}
              <button type="submit" class="btn-primary">
                Load
              </button>
            </div>
          </form>
          <ul data-uploads class="uploads"></ul>
        </>
      ),
    }
  }),
]
