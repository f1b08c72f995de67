interface DropProps {
  buckets: readonly string[]
  /** The table to load into, when the page was opened for one. */
  tableId: string
}

/** One or several files into a bucket. The browser says what they are and shows their first rows before anything is sent. */
export const Drop = ({ buckets, tableId }: DropProps) => {
  const at = tableId.lastIndexOf('.')
  const bucket = at < 0 ? (buckets[0] ?? 'in.c-main') : tableId.slice(0, at)
  return (
    <>
      <form class="drop" data-drop method="post" action="/console/drop">
        <label class="target">
          CSV files, JSON lines or Parquet, compressed with gzip or not. Choose them or drop them here.
          <input type="file" name="files" multiple required />
        </label>
        <div class="panel narrow">
          <label>
            Bucket
            <input
              name="bucket"
              value={bucket}
              list="buckets"
              required
              pattern="(in|out)\.c-[A-Za-z0-9_\-]+"
            />
          </label>
          <datalist id="buckets">
            {buckets.map(id => (
              <option value={id} />
            ))}
          </datalist>
          <label>
            Table; empty: the name of the file
            <input name="table" value={at < 0 ? '' : tableId.slice(at + 1)} />
          </label>
          <label>
            Primary key, columns separated by commas
            <input name="primaryKey" />
          </label>
          <label>
            Delimiter
            <select name="delimiter">
              <option value="">as the file looks</option>
              <option value=",">comma</option>
              <option value=";">semicolon</option>
              <option value="tab">tab</option>
              <option value="|">bar</option>
            </select>
          </label>
          <fieldset>
            <legend>The rows that a table has already</legend>
            <label class="inline">
              <input type="radio" name="incremental" value="0" checked={at < 0} /> are replaced by those of
              the file
            </label>
            <label class="inline">
              <input type="radio" name="incremental" value="1" checked={at >= 0} /> stay, but for those with
              the primary key of a new one
            </label>
          </fieldset>
          {at < 0 && (
            <label class="inline">
              <input type="checkbox" name="typed" value="1" /> Typed table: numbers, dates and booleans are
              kept as such, and others refused
            </label>
          )}
          <button type="submit" class="btn-primary">
            Load
          </button>
        </div>
        <div data-preview></div>
      </form>
      <ul data-uploads class="uploads"></ul>
    </>
  )
}
