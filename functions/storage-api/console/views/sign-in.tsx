import { Problem } from '../layout.tsx'

/** `to`: the page that is shown then. */
export const SignIn = ({ problem, to }: { problem?: string | undefined; to: string }) => (
  <form method="post" action="/console/sign-in" class="panel narrow">
    {problem !== undefined && <Problem>{problem}</Problem>}
    <input type="hidden" name="to" value={to} />
    <label>
      Storage token
      <input type="password" name="token" required autocomplete="current-password" />
    </label>
    <p class="hint">
      <code>npm start</code> prints it when it is ready; <code>npm run deploy</code> prints which secret of
      the account holds it.
    </p>
    <button type="submit" class="btn-primary">
      Sign in
    </button>
  </form>
)
