import type { Child } from 'hono/jsx'
import { ago, exactTime } from './format.ts'

/** One of `client/icons.css`: an ornament beside words, which say the same. */
export const Icon = ({ name }: { name: string }) => <i class={`icon icon-${name}`} aria-hidden="true"></i>

/** A time of the API, as people say it. A script puts the exact one of the reader's zone on hover, and keeps both right. */
export const Time = ({ at }: { at: string | null | undefined }) => {
  const time = Date.parse(at ?? '')
  if (Number.isNaN(time)) return <span>–</span>
  return (
    <time datetime={new Date(time).toISOString()} title={exactTime(time, 'UTC')}>
      {ago(time, Date.now())}
    </time>
  )
}

/** Values of the API that people know by another word, with an icon and the colour of a kind. */
const statuses: Readonly<Record<string, readonly [word: string, icon: string, kind?: string]>> = {
  success: ['done', 'check'],
  error: ['failed', 'x'],
  waiting: ['waiting', 'clock'],
  processing: ['running', 'player-play'],
  warned: ['done, with warnings', 'alert-triangle', 'warn'],
  warn: ['warning', 'alert-triangle'],
  info: ['info', 'info-circle'],
  late: ['late', 'clock', 'warn'],
}

/** A state, in words and a colour. */
export const Status = ({ value }: { value: string }) => {
  const [word, icon, kind = value] = statuses[value] ?? [value, 'point']
  return (
    <span class={`status ${kind}`}>
      <Icon name={icon} /> {word}
    </span>
  )
}

/** Pages of one thing: path, name, and how many there are, if that is known. */
export const Tabs = ({
  label,
  of,
  at,
}: {
  label: string
  of: readonly (readonly [path: string, name: string, count?: number])[]
  at: string
}) => (
  <nav class="nav nav-tabs" aria-label={label}>
    {of.map(([path, name, count]) => (
      <a
        href={path}
        class={path === at ? 'nav-link active' : 'nav-link'}
        aria-current={path === at ? 'page' : undefined}
      >
        {name.charAt(0).toUpperCase() + name.slice(1)}
        {count !== undefined && <span class="count">{count}</span>}
      </a>
    ))}
  </nav>
)

interface ConfirmProps {
  /** Of the page: two forms have two ids. */
  id: string
  /** What the button says, as it does in the question: `Delete the token`. */
  verb: string
  /** What happens, and what cannot be undone. */
  children?: Child
  /** Where the form goes, and what else it sends. */
  action: string
  fields?: Readonly<Record<string, string>>
  /** Sent as `typed`: somebody has to write it first. Default: the question is enough. */
  typed?: string
  /** In place of `verb` on the button that asks, such as an icon. */
  label?: Child
  /** Nothing is lost by it. */
  isGentle?: boolean
}

/** A button that asks before something is gone, or begins for many. Works without scripts. */
export const Confirm = (props: ConfirmProps) => {
  const { id, verb, children, action, fields = {}, typed, label, isGentle = false } = props
  return (
    <>
      <button type="button" popovertarget={id} class={isGentle ? '' : 'btn-outline-danger'} aria-label={verb}>
        {label ?? verb}
      </button>
      <div id={id} popover="auto" role="dialog" aria-label={verb} class="panel dialog">
        <h2>{verb}?</h2>
        <p>{children}</p>
        <form method="post" action={action}>
          {Object.entries(fields).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          {typed !== undefined && (
            <label>
              Type <code>{typed}</code> to confirm
              <input
                name="typed"
                required
                autocomplete="off"
                spellcheck={false}
                data-typed={typed}
                autofocus
              />
            </label>
          )}
          <div class="actions">
            <button type="submit" class={isGentle ? 'btn-primary' : 'btn-danger'}>
              {verb}
            </button>
            <button
              type="button"
              popovertarget={id}
              popovertargetaction="hide"
              autofocus={typed === undefined}
            >
              Cancel
            </button>
          </div>
        </form>
      </div>
    </>
  )
}
