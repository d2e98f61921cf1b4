//! Invented records: what is printed, and the values that it means.

/// A visit to print.
pub(super) struct Visit {
    pub day: &'static str,
    pub iso: &'static str,
    pub time: &'static str,
    pub reason: &'static str,
    pub weight: (&'static str, &'static str),
    pub symptoms: &'static str,
    pub diagnosis: &'static str,
    pub medication: &'static str,
    pub procedure: &'static str,
}

/// A record to print. Pairs are the printed text and the value that it means.
pub(super) struct Record {
    pub clinic: &'static str,
    pub clinic_street: (&'static str, &'static str),
    pub vet: (&'static str, &'static str),
    pub nhc: &'static str,
    pub written: (&'static str, &'static str),
    pub pet: (&'static str, &'static str),
    pub species: (&'static str, &'static str),
    pub breed: &'static str,
    pub sex: (&'static str, &'static str),
    pub born: (&'static str, &'static str),
    pub chip: (&'static str, &'static str),
    pub owner: &'static str,
    pub owner_street: (&'static str, &'static str),
    pub phone: &'static str,
    pub age: &'static str,
    pub weight: &'static str,
    pub visits: [Visit; 2],
}

impl Record {
    /// The expected values of the document.
    pub(super) fn fields(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("clinic_name", self.clinic),
            ("clinic_address", self.clinic_street.1),
            ("vet_name", self.vet.1),
            ("nhc", self.nhc),
            ("document_date", self.written.1),
            ("pet_name", self.pet.1),
            ("species", self.species.1),
            ("breed", self.breed),
            ("sex", self.sex.1),
            ("dob", self.born.1),
            ("microchip_id", self.chip.1),
            ("owner_name", self.owner),
            ("owner_address", self.owner_street.1),
            ("age", self.age),
            ("weight", self.weight),
        ]
    }
}

impl Visit {
    pub(super) fn fields(&self) -> Vec<(&'static str, &'static str)> {
        vec![
            ("reason_for_visit", self.reason),
            ("weight", self.weight.1),
            ("symptoms", self.symptoms),
            ("diagnosis", self.diagnosis),
            ("medication", self.medication),
            ("procedure", self.procedure),
        ]
    }
}

pub(super) const RECORDS: [Record; 3] = [
    Record {
        clinic: "Clínica Veterinaria Los Sauces",
        clinic_street: ("C/ Mayor 14, 28990 Villaluz", "Calle Mayor 14, 28990 Villaluz"),
        vet: ("Dra. Irene Valdés Soto", "Irene Valdés Soto"),
        nhc: "H-2041",
        written: ("10/05/2023", "2023-05-10"),
        pet: ("Nala", "Nala"),
        species: ("Canina", "canino"),
        breed: "Border Collie",
        sex: ("Hembra", "hembra"),
        born: ("03/02/2018", "2018-02-03"),
        chip: ("941000024680135", "941000024680135"),
        owner: "Marta Quiroga Lema",
        owner_street: (
            "Avda. del Puerto 7, 2º B, 28990 Villaluz",
            "Avenida del Puerto 7, 2º B, 28990 Villaluz",
        ),
        phone: "655 123 987",
        age: "5",
        weight: "18.2 kg",
        visits: [
            Visit {
                day: "12/03/2023",
                iso: "2023-03-12",
                time: "10:15",
                reason: "Cojera tras el paseo",
                weight: ("18,4 kg", "18.4 kg"),
                symptoms: "Dolor en la rodilla derecha",
                diagnosis: "Esguince leve",
                medication: "Carprofeno 50 mg cada 12 horas durante 5 días",
                procedure: "Vendaje acolchado",
            },
            Visit {
                day: "02/05/2023",
                iso: "2023-05-02",
                time: "17:40",
                reason: "Revisión de la pata",
                weight: ("18.2kg", "18.2 kg"),
                symptoms: "Apoya con normalidad",
                diagnosis: "Esguince resuelto",
                medication: "Condroprotector una tableta al día",
                procedure: "Retirada del vendaje",
            },
        ],
    },
    Record {
        clinic: "Hospital Veterinario Monteverde",
        clinic_street: ("Plaza Nueva, 3, 15990 Ribadeo", "Plaza Nueva, 3, 15990 Ribadeo"),
        vet: ("Dr. Óscar Bello", "Óscar Bello"),
        nhc: "77120",
        written: ("2024-01-20", "2024-01-20"),
        pet: ("MISHA", "Misha"),
        species: ("Gata", "felino"),
        breed: "Siamés",
        sex: ("H", "hembra"),
        born: ("15-06-2020", "2020-06-15"),
        chip: ("724 000 011 223 344", "724000011223344"),
        owner: "Julián Ferreiro",
        owner_street: ("Calle del Carmen 22, 15990 Ribadeo", "Calle del Carmen 22, 15990 Ribadeo"),
        phone: "955 600 701",
        age: "3",
        weight: "3.9 kg",
        visits: [
            Visit {
                day: "05/11/2023",
                iso: "2023-11-05",
                time: "9:05",
                reason: "Vacunación anual",
                weight: ("4,1 kg", "4.1 kg"),
                symptoms: "Sarro moderado",
                diagnosis: "Gingivitis grado 1",
                medication: "Gel dental de clorhexidina a diario",
                procedure: "Corte de uñas",
            },
            Visit {
                day: "18/01/2024",
                iso: "2024-01-18",
                time: "12:30",
                reason: "Vómitos desde ayer",
                weight: ("3900 g", "3.9 kg"),
                symptoms: "Decaimiento y vómito biliar",
                diagnosis: "Gastritis aguda",
                medication: "Maropitant 1 mg/kg cada 24 horas",
                procedure: "Fluidoterapia subcutánea",
            },
        ],
    },
    Record {
        clinic: "HV Costa Norte",
        clinic_street: ("Paseo Marítimo 101, 39990 Castrillo", "Paseo Marítimo 101, 39990 Castrillo"),
        vet: ("Laura Echarri Gil", "Laura Echarri Gil"),
        nhc: "HC-0093",
        written: ("01.09.2022", "2022-09-01"),
        pet: ("Thor", "Thor"),
        species: ("Perro", "canino"),
        breed: "Bulldog Francés",
        sex: ("Macho", "macho"),
        born: ("09/12/2015", "2015-12-09"),
        chip: ("985112003004005", "985112003004005"),
        owner: "Ana Belén Ruiz",
        owner_street: ("Pza. de la Sal 5, 39990 Castrillo", "Plaza de la Sal 5, 39990 Castrillo"),
        phone: "612 345 678",
        age: "6",
        weight: "12.8 kg",
        visits: [
            Visit {
                day: "20/06/2022",
                iso: "2022-06-20",
                time: "16:00",
                reason: "Picor en las patas",
                weight: ("13 kg", "13 kg"),
                symptoms: "Lamido constante",
                diagnosis: "Dermatitis alérgica",
                medication: "Oclacitinib 5,4 mg medio comprimido cada 12 horas",
                procedure: "Raspado cutáneo",
            },
            Visit {
                day: "30/08/2022",
                iso: "2022-08-30",
                time: "11:20",
                reason: "Control de peso",
                weight: ("12,80 kg", "12.8 kg"),
                symptoms: "Buen apetito",
                diagnosis: "Sobrepeso leve",
                medication: "Pienso de control 180 gramos al día",
                procedure: "Medición de contornos",
            },
        ],
    },
];
