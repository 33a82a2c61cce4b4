import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function AppPage() {
  return (
    <Page title="Application">
      <SkeletonRows />
    </Page>
  );
}
