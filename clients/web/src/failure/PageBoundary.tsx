import type { ErrorComponentProps } from "@tanstack/react-router";
import { Page } from "@/shell/Page";
import { Button } from "@/ui/Button";
import { Banner } from "@/ui/Banner";
import { FailureState } from "./FailureState";

/** What is shown in place of a page that threw; an old chunk that is gone means a newer version. */
export function PageBoundary({ error, reset }: ErrorComponentProps) {
  if (isMissingChunk(error)) {
    return (
      <Page title="A new version is there" hideTitle>
        <Banner tone="info" actions={<Button onPress={() => location.reload()}>Reload</Button>}>
          A new version of Causeway is there. This page needs it.
        </Banner>
      </Page>
    );
  }
  return (
    <Page title="This page failed" hideTitle>
      <FailureState error={error} what="show this page" onRetry={reset} />
    </Page>
  );
}

function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script failed|Unable to preload/i.test(error.message);
}
