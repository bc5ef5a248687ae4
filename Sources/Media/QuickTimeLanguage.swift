/// The languages that a track of QuickTime can have: those of the Macintosh, which have a number each.
enum QuickTimeLanguage {
    /// ISO 639-2 has two codes for some languages (B and T), of which libavformat knows one alone when it writes MOV, and it has
    /// codes of its own for others.
    private static let known = [
        "bod": "tib", "cym": "wel", "cze": "ces", "deu": "ger", "ell": "gre", "eus": "baq", "fas": "per", "fre": "fra",
        "hrv": "hr ", "hye": "arm", "isl": "ice", "kat": "geo", "mkd": "mac", "msa": "may", "mya": "bur", "nld": "dut",
        "rum": "ron", "slo": "slk", "sqi": "alb", "srp": "sr ", "swe": "sve", "zho": "chi",
    ]

    /// The code by which libavformat knows the language that another code means.
    static func code(_ code: String) -> String { known[code] ?? code }
}
