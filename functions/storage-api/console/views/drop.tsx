interface DropProps {
  buckets: readonly string[]
  /** The table to load into, when the page was opened for one. */
  tableId: string
}

/** One or several CSV files into a bucket. The browser shows the first rows before anything is sent. */
export const Drop = ({ buckets, tableId }: DropProps) => {
  const at = tableId.lastIndexOf('.')
  const bucket = at < 0 ? (buckets[0] ?? 'in.c-main') : tableId.slice(0, at)
  return (
    <form class="drop" data-drop method="post" action="/console/drop">
      <label class="target">
        CSV files, gzip or not. Choose them or drop them here.
        <input type="file" name="files" multiple accept=".csv,.tsv,.txt,.gz,text/csv" required />
      </label>
      <div class="panel narrow">
        <label>
          Bucket
          <input name="bucket" value={bucket} list="buckets" required pattern="(in|out)\.c-[A-Za-z0-9_\-]+" />
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
            <option value=",">comma</option>
            <option value=";">semicolon</option>
            <option value="tab">tab</option>
            <option value="|">bar</option>
          </select>
        </label>
        <label class="inline">
          <input type="checkbox" name="incremental" value="1" /> add to the rows that are there
        </label>
        <button type="submit">Load</button>
      </div>
      <div data-preview></div>
      <ul data-uploads aria-live="polite"></ul>
    </form>
  )
}
