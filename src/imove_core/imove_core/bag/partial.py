"""The hidden folder in which a bag grows until it is whole, and what the disk below it has left."""

import os
import shutil
from pathlib import Path

from imove_core.bag.errors import BagError

PARTIAL_FOLDER = ".partial"


class PartialFolder:
    """`.partial/<name>` beside `<name>`: a listing of the dataset never shows an unfinished bag."""

    def __init__(self, final: Path) -> None:
        """Stands for the unfinished form of the folder `final`."""
        self.final = Path(os.path.abspath(final))
        self.path = self.final.parent / PARTIAL_FOLDER / self.final.name

    def make(self, replace: bool) -> None:
        """Creates it.

        Args:
            replace: Whether an unfinished bag of the same name is deleted instead of refused.

        Raises:
            BagError: The bag or an unfinished one exists, or the folder cannot be made.
        """
        if self.final.exists():
            raise BagError(f"bag {self.final} exists already; choose another name or move it away")
        if replace:
            shutil.rmtree(self.path, ignore_errors=True)
        while True:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self.path.mkdir()
                return
            except FileNotFoundError:
                # Another writer has finished in between and removed the empty parent.
                continue
            except FileExistsError as error:
                raise BagError(
                    f"unfinished bag {self.path} exists; `imove bag recover` saves its messages, else delete it"
                ) from error
            except OSError as error:
                raise BagError(f"folder {self.path} cannot be made: {error.strerror}") from error

    def become_final(self) -> None:
        """Gives it the final name, so that it is on the disk under that name; raises OSError."""
        sync_folder(self.path)
        os.rename(self.path, self.final)
        self._leave_parent()
        sync_folder(self.final.parent)

    def delete(self) -> None:
        """Deletes it with all it holds."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._leave_parent()

    def free_bytes(self) -> int:
        """What the disk has left."""
        status = os.statvfs(self.path)
        return status.f_bavail * status.f_frsize

    def _leave_parent(self) -> None:
        try:
            self.path.parent.rmdir()
        except OSError:
            # Others write there.
            return


def sync_folder(folder: Path) -> None:
    """Makes sure that the names in a folder are on the disk; raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
