"""Public traces by name, with whom to thank and what to cite."""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.errors import UnknownNameError

ARCHIVE = "https://www.cs.huji.ac.il/labs/parallel/workload"
CITATION = (
    'D. G. Feitelson, D. Tsafrir and D. Krakov, "Experience with using the Parallel Workloads '
    'Archive", Journal of Parallel and Distributed Computing 74(10):2967-2982, 2014.'
)


@dataclass(frozen=True)
class Trace:
    """A trace of the Parallel Workloads Archive.

    Its users are asked to name the archive as the source, to cite ``CITATION`` and to thank the
    donor.
    """

    name: str
    machine: str
    jobs: int
    donor: str
    folder: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The name of the compressed trace in the archive."""
        return f"{self.name}.swf.gz"

    @property
    def home_page(self) -> str:
        """Where the archive describes the trace."""
        return f"{ARCHIVE}/{self.folder}/"

    @property
    def citation(self) -> str:
        """What to write in a paper that uses the trace."""
        return (
            f"{self.name}, from the Parallel Workloads Archive, thanks to {self.donor}. {CITATION}"
        )


CATALOG: dict[str, Trace] = {
    trace.name: trace
    for trace in (
        Trace(
            "RICC-2010-2",
            "RIKEN Integrated Cluster of Clusters",
            447_794,
            "Motoyoshi Kurokawa",
            "l_ricc",
            "38b7c5c9843d9a9f3d61a2d8b927f6d39b68b368fb713886b5f2ce3499f2ec82",
        ),
        Trace(
            "CEA-Curie-2011-2.1-cln",
            "CEA Curie (cleaned)",
            312_826,
            "Joseph Emeras",
            "l_cea_curie",
            "2a0fdbd40837590b491bbbac7d4cfe521de1f0b14c0dc39bbf82c4e49ea75bce",
        ),
        Trace(
            "UniLu-Gaia-2014-2",
            "University of Luxembourg Gaia",
            51_987,
            "Joseph Emeras",
            "l_unilu_gaia",
            "8c72a18a65b54cf73bfc122064ba65e3a44349d02aea261226e516fe61810d49",
        ),
        Trace(
            "SDSC-SP2-1998-4.2-cln",
            "SDSC SP2 (cleaned)",
            59_715,
            "Victor Hazlewood",
            "l_sdsc_sp2",
            "e03fe48be50c4ab04d6bb2285296d9c3399e9c1f27ee79b754ad32a14abd9bac",
        ),
        Trace(
            "SDSC-BLUE-2000-4.2-cln",
            "SDSC Blue Horizon (cleaned)",
            243_306,
            "Travis Earheart and Nancy Wilkins-Diehr",
            "l_sdsc_blue",
            "9aab21f3cfa108f3ecefa52391b384d996dcf4216f920186f47a734646b2c658",
        ),
        Trace(
            "SDSC-DS-2004-2.1-cln",
            "SDSC DataStar (cleaned)",
            96_069,
            "Victor Hazlewood",
            "l_sdsc_ds",
            "0ddb885a96a7f5ee9009d8a36ef350b1d1c451044c205811938995aac80fcc36",
        ),
        Trace(
            "HPC2N-2002-2.2-cln",
            "HPC2N Seth (cleaned)",
            202_871,
            "Åke Sandgren",
            "l_hpc2n",
            "3c534857d6065cfd9cc35aac8d064c9c17172be7acf336de835006f43a626e64",
        ),
        Trace(
            "KTH-SP2-1996-2.1-cln",
            "KTH SP2 (cleaned)",
            28_476,
            "Lars Malinowsky",
            "l_kth_sp2",
            "3e152f201fd2e96808a735bced6ea6eb0bb07fdc447689cafb0750d87b264c0b",
        ),
        Trace(
            "CTC-SP2-1996-3.1-cln",
            "CTC SP2 (cleaned)",
            77_222,
            "Dan Dwyer and Steve Hotovy",
            "l_ctc_sp2",
            "9fa28ac16c4386fb81b72a91d8bd8888281df2948a9d912769d387c5ee285bb4",
        ),
        Trace(
            "LANL-CM5-1994-4.1-cln",
            "LANL CM-5 (cleaned)",
            122_060,
            "Curt Canada",
            "l_lanl_cm5",
            "71ff3dfa301b3ee1bd30ebc63c5363b5e8ec488e75f1f9398aa46d485ef23c3c",
        ),
        Trace(
            "LLNL-Atlas-2006-2.1-cln",
            "LLNL Atlas (cleaned)",
            43_778,
            "Moe Jette",
            "l_llnl_atlas",
            "48cc83b7a0490252aa1ae41a4b03dd598bc0683e146be94047febee36e7e0b36",
        ),
        Trace(
            "LLNL-Thunder-2007-1.1-cln",
            "LLNL Thunder (cleaned)",
            121_039,
            "Moe Jette",
            "l_llnl_thunder",
            "00d9bce501efd3a23cd0713bbae591516b7a69217d5f4b851725f601f3b75247",
        ),
        Trace(
            "NASA-iPSC-1993-3.1-cln",
            "NASA iPSC (cleaned)",
            18_239,
            "Bill Nitzberg",
            "l_nasa_ipsc",
            "5589ae9b2fb78e3bf92de097497cf33a91607de1ad54563e43533f7827597f29",
        ),
    )
}


def catalogued(name: str) -> Trace:
    """Return the trace of that name in the catalog."""
    if name not in CATALOG:
        raise UnknownNameError("trace", name, CATALOG)
    return CATALOG[name]
